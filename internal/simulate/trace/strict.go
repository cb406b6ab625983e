package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// strict decodes one value that has no field which its type lacks, and none twice.
func strict(text []byte, into any) error {
	if !utf8.Valid(text) {
		return errors.New("the line is no UTF-8")
	}
	if err := keys(text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return plain(d.Decode(into))
}

// keys reads a line of JSON. encoding/json takes the last of keys that are twice, and
// does not tell capitals from small letters: both would pass for what they are not.
func keys(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if err := value(d, deepest); errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0 {
		return errors.New("the line is empty")
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line ends within its JSON")
	} else if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		return fmt.Errorf("the line is no JSON: see its byte %d, at %q", max(1, s.Offset), excerpt(text[max(1, s.Offset)-1:]))
	} else if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON")
	}
	return nil
}

// value reads one value with all that is in it.
func value(d *json.Decoder, deep int) error {
	if deep == 0 {
		return errors.New("there are objects in objects that no trace has")
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		return members(d, deep)
	case json.Delim('['):
		for d.More() {
			if err := value(d, deep-1); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

func members(d *json.Decoder, deep int) error {
	var seen []string // a few: looking through them is faster than a map
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if slices.Contains(seen, key) {
			return fmt.Errorf("%q is there twice in one object", excerpt([]byte(key)))
		}
		if seen = append(seen, key); strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" || len(seen) > most {
			return fmt.Errorf("unknown field %q", excerpt([]byte(key)))
		}
		if err := value(d, deep-1); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// No object of a trace has that many fields, and none is that deep in others.
const (
	most    = 20
	deepest = 10
)

// plain says what does not fit without the words of Go.
func plain(err error) error {
	var t *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &t) && t.Field == "":
		return fmt.Errorf("the line is %s; it has to be %s", article(t.Value), wanted(t.Type))
	case errors.As(err, &t):
		return fmt.Errorf("%q is %s; it has to be %s", t.Field, article(t.Value), wanted(t.Type))
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// article makes a phrase of what encoding/json calls a value: "number 1e3", "array".
func article(value string) string {
	switch {
	case strings.HasPrefix(value, "number "):
		return excerpt([]byte(strings.TrimPrefix(value, "number ")))
	case value == "bool":
		return "true or false"
	case value == "array":
		return "a list"
	case value == "object":
		return "an object"
	}
	return "a " + value
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int32:
		return "a whole number of at most 32 bits, without point and exponent"
	case reflect.Int, reflect.Int64:
		return "a whole number of at most 64 bits, without point and exponent"
	case reflect.Uint64:
		return "a whole number from 0 on, without point and exponent"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// excerpt is the begin of a text that may be long.
func excerpt(text []byte) string {
	const enough = 24
	runes := []rune(string(text))
	if len(runes) <= enough {
		return string(runes)
	}
	return string(runes[:enough]) + "…"
}
