package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/configs"
	"github.com/lagwatch/lagwatch/rates/diagnosis"
)

// The config knows the thresholds that there are, what they are by default and what they
// may be at least: configs/conditions.go and configs/lagwatch.yaml follow
// rates/diagnosis/thresholds.go.
func TestConfigKnowsTheThresholds(t *testing.T) {
	var want, got []string
	for _, k := range diagnosis.Keys() {
		want = append(want, row(k.Name, k.Default, k.Min))
	}
	for _, k := range configs.Describe() {
		if name, ok := strings.CutPrefix(k.Path, "conditions[]."); ok && name != "groups" {
			got = append(got, row(name, valueOf(t, k, k.Default), valueOf(t, k, k.Min)))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-diagnosis +config:\n%s", diff)
	}
}

func row(name string, byDefault, least any) string {
	return fmt.Sprintf("%s: %T %v, at least %v", name, byDefault, byDefault, least)
}

func valueOf(t *testing.T, k configs.Key, text string) any {
	t.Helper()
	var v any
	var err error
	switch k.Type {
	case configs.TypeDuration:
		v, err = time.ParseDuration(text)
	case configs.TypeInt:
		v, err = strconv.Atoi(text)
	case configs.TypeNumber:
		v, err = strconv.ParseFloat(text, 64)
	default:
		t.Errorf("%s is of type %s", k.Path, k.Type)
	}
	if err != nil {
		t.Errorf("%s: %v", k.Path, err)
	}
	return v
}

// Each key sets its threshold for the groups that its entry is of, and no other.
func TestThresholdsOfGroups(t *testing.T) {
	others := map[string]any{}
	for _, k := range diagnosis.Keys() {
		switch v := k.Default.(type) {
		case time.Duration:
			others[k.Name] = v + time.Second
		case float64:
			others[k.Name] = v + 1
		case int:
			others[k.Name] = v + 1
		}
	}
	c := &configs.Config{Conditions: []configs.Conditions{
		{Groups: "one", Thresholds: map[string]any{"behind": time.Hour}},
		{Groups: "all", Thresholds: others},
		{Groups: "none"},
	}}
	of := thresholds(c)
	one := diagnosis.Defaults()
	one.Behind = time.Hour
	for group, want := range map[string]diagnosis.Thresholds{"one": one, "none": diagnosis.Defaults(), "some": diagnosis.Defaults()} {
		if diff := cmp.Diff(want, *of(group)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", group, diff)
		}
	}
	all := of("all")
	for _, k := range diagnosis.Keys() {
		if got := reflect.ValueOf(k.Of(all)).Elem().Interface(); got != others[k.Name] {
			t.Errorf("%s is %v, want %v", k.Name, got, others[k.Name])
		}
	}
	if of("some") != of("other") || of("one") == of("some") {
		t.Error("sets are not shared as they should be")
	}
}

// What a file says arrives.
func TestThresholdsOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lagwatch.yaml")
	if err := os.WriteFile(file, []byte("brokers: a:1\nconditions: [{groups: pay.*, abandoned: 20s, enter: 1, hot: 3}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := configs.Load(configs.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	want := diagnosis.Defaults()
	want.Abandoned, want.Enter, want.Hot = 20*time.Second, 1, 3
	if diff := cmp.Diff(want, *thresholds(c)("payments")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
