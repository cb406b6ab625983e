package openapi

import (
	"fmt"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// coverage are the members of schemas, and the values of enums, that answers had.
type coverage map[string]bool

// add notes what a value has of a schema.
func (c coverage) add(ref *openapi3.SchemaRef, value any) { c.at("", ref, value) }

func (c coverage) at(where string, ref *openapi3.SchemaRef, value any) {
	if ref.Ref != "" {
		where = ref.Ref
	}
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			p := ref.Value.Properties[name]
			if p == nil {
				continue // which the validator has told of
			}
			c[inside(where, name)] = true
			c.at(inside(where, name), p, member)
		}
	case []any:
		for _, item := range v {
			c.at(where+"[]", ref.Value.Items, item)
		}
	case string:
		if len(ref.Value.Enum) > 0 {
			c[where+"="+v] = true
		}
	case nil:
		c[where+"=null"] = true
	}
}

func inside(where, name string) string { return where + "." + name }

// missing are the members, in order, that are described and were in no answer, and the
// states of drains, and nulls.
func (c coverage) missing(spec *openapi3.T) (out []string) {
	for name, schema := range spec.Components.Schemas {
		own := "#/components/schemas/" + name
		walk(own, schema.Value, func(where string, s *openapi3.Schema) {
			for member := range s.Properties {
				if !c[inside(where, member)] {
					out = append(out, inside(where, member))
				}
			}
			if s.Nullable && !c[where+"=null"] {
				out = append(out, where+"=null")
			}
		})
	}
	for _, v := range spec.Components.Schemas["Drain"].Value.Enum {
		if state := fmt.Sprintf("#/components/schemas/Drain=%v", v); !c[state] {
			out = append(out, state)
		}
	}
	slices.Sort(out)
	return out
}

// What the comparison relies on: a member that no answer had is told of.
func TestCoverage(t *testing.T) {
	spec, err := openapi3.NewLoader().LoadFromData([]byte(`{openapi: 3.0.3, info: {title: x, version: "1"}, paths: {}, components: {schemas: {
		Drain: {type: string, enum: [never, known]},
		A: {type: object, properties: {list: {type: array, items: {type: object, properties: {x: {type: number, nullable: true}, y: {type: string}}}}, drain: {$ref: "#/components/schemas/Drain"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	seen := coverage{}
	seen.add(openapi3.NewSchemaRef("#/components/schemas/A", spec.Components.Schemas["A"].Value), map[string]any{
		"list": []any{map[string]any{"x": 1.0}}, "drain": "never",
	})
	want := []string{"#/components/schemas/A.list[].x=null", "#/components/schemas/A.list[].y", "#/components/schemas/Drain=known"}
	if got := seen.missing(spec); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
