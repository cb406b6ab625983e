package configs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalarText returns the text of a YAML scalar for Key.parse, after checking
// that YAML read it as the type that the key takes. Durations and addresses
// are judged by their text alone: "10 has no unit" helps, "is a number" doesn't.
func scalarText(k Key, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("is %s; write one %s", describe(n), oneOf(k.Type))
	}
	tag := n.ShortTag()
	if k.Type == TypeSecret && tag != "!!str" {
		return "", errors.New("is not read as a string; put it in quotes") // without repeating it
	}
	if !standard(tag) {
		return "", fmt.Errorf("has the tag %s; leave the tag out", quote(n.Tag))
	}
	switch k.Type {
	case TypeBool:
		return n.Value, wantTag(n, "!!bool", "write true or false, without quotes")
	case TypeInt:
		return intText(n)
	case TypeChoice:
		return n.Value, wantTag(n, "!!str", "write one of "+strings.Join(k.Values, ", "))
	case TypeNumber:
		if tag == "!!int" {
			return n.Value, nil
		}
		return n.Value, wantTag(n, "!!float", "write a number, without quotes")
	case TypeString, TypePattern, TypePatterns, TypeNames, TypeSecret:
		return n.Value, wantTag(n, "!!str", "put it in quotes")
	case TypeDuration, TypeAddress, TypeAddresses, TypeMapping, TypeList:
	}
	return n.Value, nil
}

// oneOf names a single value of a type.
func oneOf(t Type) string {
	switch t {
	case TypeAddresses:
		return "host:port"
	case TypePatterns:
		return "pattern"
	case TypeNames:
		return "name"
	}
	return t.String()
}

func wantTag(n *yaml.Node, tag, remedy string) error {
	if n.ShortTag() == tag {
		return nil
	}
	return fmt.Errorf("%s is read as %s; %s", quote(n.Value), describe(n), remedy)
}

// intText writes the notations that YAML has for integers as a decimal.
func intText(n *yaml.Node) (string, error) {
	if err := wantTag(n, "!!int", "write a whole number, without quotes"); err != nil {
		return "", err
	}
	var i int
	if err := n.Decode(&i); err != nil {
		return "", fmt.Errorf("%s does not fit an integer; write a smaller number", quote(n.Value))
	}
	return strconv.Itoa(i), nil
}

func standard(tag string) bool {
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!null", "!!merge":
		return true
	}
	return false
}

// describe names the type of a node, as YAML understood it.
func describe(n *yaml.Node) string {
	n = target(n)
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!int":
		return "a number"
	case "!!float":
		return "a number with a fraction"
	case "!!bool":
		return "a boolean"
	case "!!timestamp":
		return "a date"
	case "!!null":
		return "nothing"
	}
	return "a string"
}

// target follows an alias to what it stands for.
func target(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = target(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}
