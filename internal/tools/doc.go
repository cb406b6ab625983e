// Package tools pins the programs that tests and checks are run with. It is a
// module of its own, so that none of them is a dependency of lagwatch.
package tools
