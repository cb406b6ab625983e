// Package openapi holds what the JSON API answers to its description, with a validator.
// It is a module of its own, so that the validator is no dependency of lagwatch, and takes
// lagwatch as what it is to a client: an address.
package openapi
