// Package image tests the container image. Its tests build the Dockerfile with
// buildah in a user namespace, without root's rights, a daemon or a registry,
// and run what comes out; the build tag image has them in. `make test-all` does.
package image
