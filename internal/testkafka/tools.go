package testkafka

import (
	"os/exec"
	"strings"
)

// MissingToolError says that programs which the package needs are not on PATH.
type MissingToolError struct {
	// Tools are the names of the missing programs: java, javac or mvn.
	Tools []string
}

func (e *MissingToolError) Error() string {
	return "not on PATH: " + strings.Join(e.Tools, ", ")
}

// needTools returns a *MissingToolError that names every absent program.
func needTools(names ...string) error {
	var missing []string
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return &MissingToolError{Tools: missing}
	}
	return nil
}
