package openapi

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// The description accepted any word as a condition, and the API refused it: they refuse the
// same, and each word that is described is answered.
func enumsAreAsAccepted(t *testing.T, fixed string) {
	d, seen, found := describe(t, fixed), coverage{}, 0
	for _, p := range d.spec.Paths.Value("/api/v1/groups").Get.Parameters {
		words := wordsOf(p.Value.Schema)
		if len(words) == 0 {
			continue
		}
		found++
		for _, word := range words {
			d.check(t, fixed, fmt.Sprintf("/api/v1/groups?%s=%v", p.Value.Name, word), http.StatusOK, seen)
		}
		target := "/api/v1/groups?" + p.Value.Name + "=other"
		d.check(t, fixed, target, http.StatusBadRequest, seen)
		route, parameters, request, err := d.operation(http.MethodGet, target)
		if err != nil {
			t.Fatal(err)
		}
		input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route}
		if openapi3filter.ValidateRequest(t.Context(), input) == nil {
			t.Errorf("%s is described", target)
		}
	}
	if found != 4 { // condition, type, sort and order
		t.Errorf("%d parameters are one of some words", found)
	}
}

// wordsOf are those that a schema lists.
func wordsOf(s *openapi3.SchemaRef) (words []any) {
	if s == nil {
		return nil
	}
	words = append(slices.Clone(s.Value.Enum), wordsOf(s.Value.Items)...)
	for _, one := range s.Value.AnyOf {
		words = append(words, wordsOf(one)...)
	}
	return words
}
