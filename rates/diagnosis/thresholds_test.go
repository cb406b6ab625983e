package diagnosis

import (
	"strings"
	"testing"
	"time"
	"unsafe"
)

// Thresholds of 0 make no panic, whatever the view.
func TestThresholdsOfZero(t *testing.T) {
	var limits Thresholds
	for _, v := range views {
		d, g := v.watch(&Memory{}, &limits)
		check(t, d, g)
	}
}

func TestThresholds(t *testing.T) {
	names := map[string]bool{}
	fields := map[any]bool{}
	var set Thresholds
	for _, k := range Keys() {
		if names[k.Name] || !words.MatchString(k.Name) || k.Help == "" || strings.HasSuffix(k.Help, ".") || fields[k.Of(&set)] {
			t.Errorf("%+v", k)
		}
		names[k.Name], fields[k.Of(&set)] = true, true
		switch at := k.Of(&set).(type) {
		case *time.Duration:
			*at = k.Default.(time.Duration)
			if k.Unit != "duration" || *at < k.Min.(time.Duration) {
				t.Errorf("%+v", k)
			}
		case *float64:
			*at = k.Default.(float64)
			if k.Unit != "" || *at < k.Min.(float64) {
				t.Errorf("%+v", k)
			}
		case *int:
			*at = k.Default.(int)
			if k.Unit != "polls" && k.Unit != "partitions" || *at < k.Min.(int) {
				t.Errorf("%+v", k)
			}
		}
	}
	if set != Defaults() {
		t.Errorf("%+v are set by keys, %+v by default", set, Defaults())
	}
	if want := int(unsafe.Sizeof(set) / 8); len(names) != want {
		t.Errorf("%d keys for %d thresholds", len(names), want)
	}
}

// Each threshold is used: what it is makes a difference to some view.
func TestEveryThresholdCounts(t *testing.T) {
	for _, k := range Keys() {
		different := false
		for _, factor := range []float64{0, 0.5, 2, 1e6} {
			limits := Defaults()
			switch at := k.Of(&limits).(type) {
			case *time.Duration:
				*at = time.Duration(float64(*at) * factor)
			case *float64:
				*at *= factor
			case *int:
				*at = int(float64(*at) * factor)
			}
			for _, v := range views {
				if different {
					break
				}
				d, _ := v.watch(&Memory{}, &limits)
				different = d.Verdicts[v.of] != v.want
			}
		}
		if !different {
			t.Errorf("%s could be anything", k.Name)
		}
	}
}
