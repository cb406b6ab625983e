package configs

import (
	"fmt"
	"log/slog"
)

// Secret is text that no print, log or encoding shows. The zero value is none.
type Secret struct {
	text *string // a pointer, for printers that look into unexported fields
}

const masked = "<secret>"

// NewSecret hides text; "" is none.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text, "" for none.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Equal compares the texts.
func (s Secret) Equal(t Secret) bool { return s.Reveal() == t.Reveal() }

// String is the same for all secrets, and "" for none.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return masked
}

// GoString, Format, LogValue and MarshalText show no more than String does.
func (s Secret) GoString() string             { return s.String() }
func (s Secret) Format(f fmt.State, _ rune)   { _, _ = f.Write([]byte(s.String())) }
func (s Secret) LogValue() slog.Value         { return slog.StringValue(s.String()) }
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
