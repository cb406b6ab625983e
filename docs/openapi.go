// Package docs holds what lagwatch serves of its documentation.
package docs

import _ "embed"

//go:embed openapi.yaml
var openAPI []byte

// OpenAPI is the description of the JSON API, as YAML. The caller does not change it.
func OpenAPI() []byte { return openAPI }
