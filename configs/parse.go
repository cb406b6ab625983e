package configs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// parse reads a value from text, as flags and the environment give it and as
// the table writes its defaults. The result has the type of the field in
// [Config]. Errors say what is wrong and what to write, not where.
func (k Key) parse(text string) (any, error) {
	switch k.Type {
	case TypeString:
		return k.parseString(text)
	case TypeBool:
		return parseBool(text)
	case TypeInt:
		return k.parseInt(text)
	case TypeNumber:
		return k.parseNumber(text)
	case TypeDuration:
		return k.parseDuration(text)
	case TypeAddress:
		return parseListen(text)
	case TypeAddresses:
		return parseBrokers(text)
	case TypeChoice:
		return k.parseChoice(text)
	case TypePattern:
		return parsePattern(text)
	case TypePatterns:
		return parsePatterns([]string{text})
	case TypeNames:
		return parseNames([]string{text})
	case TypeSecret:
		return parseSecret(text)
	case TypeMapping, TypeList:
	}
	return nil, fmt.Errorf("is %s; set it in the file", k.Type)
}

// parseAll is parse for keys that may be given several texts.
func (k Key) parseAll(texts []string) (any, error) {
	switch k.Type {
	case TypePatterns:
		return parsePatterns(texts)
	case TypeNames:
		return parseNames(texts)
	case TypeAddresses:
		return parseBrokers(texts...)
	default:
		return k.parse(texts[len(texts)-1])
	}
}

// parseString refuses what would break a log line or a label. Only a string
// without a default may be empty: that is how it says "none".
func (k Key) parseString(text string) (string, error) {
	switch {
	case text == "" && k.Default != "":
		return "", errors.New("is empty; leave it out for " + k.Default)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("%s is not UTF-8; write it in UTF-8", quote(text))
	case strings.ContainsFunc(text, unicode.IsControl):
		return "", fmt.Errorf("%s has a control character in it; leave that out", quote(text))
	case k.MaxLen > 0 && len(text) > k.MaxLen:
		return "", fmt.Errorf("%s has %d bytes; write %d or less", quote(text), len(text), k.MaxLen)
	}
	return text, nil
}

func parseBool(text string) (bool, error) {
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%s is not a boolean; write true or false", quote(text))
	}
	return b, nil
}

func (k Key) parseInt(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number; write one like %s", quote(text), k.Default)
	}
	return n, checkRange(k, text, n, strconv.Atoi)
}

func (k Key) parseNumber(text string) (float64, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%s is not a number; write one like %s", quote(text), k.Default)
	}
	return n, checkRange(k, text, n, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

func (k Key) parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil && isNumber(text) {
		return 0, fmt.Errorf("%s has no unit; write %ss", quote(text), text)
	}
	if err != nil {
		return 0, fmt.Errorf("%s is not a duration; write one like 10s, 5m or 1h30m", quote(text))
	}
	return d, checkRange(k, text, d, time.ParseDuration)
}

// isNumber reports whether a text is a plain decimal number, short enough to
// be repeated in a remedy.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && len(text) <= 20 && strings.Trim(text, "0123456789.") == ""
}

// checkRange holds a value against the bounds of its row.
func checkRange[T cmp.Ordered](k Key, text string, v T, parse func(string) (T, error)) error {
	outside := func(bound string, sign int) bool {
		b, err := parse(bound)
		return bound != "" && err == nil && cmp.Compare(v, b) == sign
	}
	if !outside(k.Min, -1) && !outside(k.Max, 1) {
		return nil
	}
	if k.Max == "" {
		return fmt.Errorf("%s is out of range; write %s or more", quote(text), k.Min)
	}
	return fmt.Errorf("%s is out of range; write %s to %s", quote(text), k.Min, k.Max)
}

func (k Key) parseChoice(text string) (string, error) {
	if lower := strings.ToLower(text); k.AnyCase && slices.Contains(k.Values, lower) {
		return lower, nil
	}
	if slices.Contains(k.Values, text) {
		return text, nil
	}
	return "", fmt.Errorf("%s is not known; write one of %s", quote(text), strings.Join(k.Values, ", "))
}

func parsePattern(text string) (string, error) {
	if text == "" {
		return "", errors.New("is empty; write a pattern like payments-.*")
	}
	if _, err := wholePattern(text); err != nil {
		return "", fmt.Errorf("%s is not an RE2 pattern (%s); see https://github.com/google/re2/wiki/Syntax",
			quote(text), patternFault(err))
	}
	return text, checkCommas(text)
}

// parsePatterns counts the texts in its errors where there are several.
func parsePatterns(texts []string) ([]string, error) {
	for i, text := range texts {
		if _, err := parsePattern(text); err != nil && len(texts) > 1 {
			return nil, fmt.Errorf("item %d %w", i, err)
		} else if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// parseNames takes names as they are: a group id may have anything in it.
func parseNames(texts []string) ([]string, error) {
	for i, text := range texts {
		switch {
		case text == "":
			return nil, fmt.Errorf("item %d is empty; write a name, or leave it out", i)
		case slices.Contains(texts[:i], text):
			return nil, fmt.Errorf("item %d %s stands there twice; leave one out", i, quote(text))
		}
	}
	return texts, nil
}

// parseSecret repeats nothing of the text in its errors.
func parseSecret(text string) (Secret, error) {
	switch {
	case text == "":
		return Secret{}, errors.New("is empty; write the value, or leave it out")
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return Secret{}, errors.New("is not text; write it in UTF-8, without zero bytes")
	}
	return NewSecret(text), nil
}

// patternFault is the code of a syntax error without the piece of pattern that
// its text repeats unquoted.
func patternFault(err error) string {
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		return e.Code.String()
	}
	return "too large"
}
