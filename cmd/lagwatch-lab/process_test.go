package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lagwatch/lagwatch/internal/exercise"
	"github.com/lagwatch/lagwatch/internal/lab"
)

// asProgram is set in the environment of a process that is the program and not its tests.
const asProgram = "TEST_IS_LAGWATCH_LAB"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// What was created is removed however the exercise ends before its time. A reader of the
// output who went away, and a terminal that closed, ended the process at once: topic and
// group stayed, and nothing said so.
func TestExerciseLeavesNothingBehind(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, p *os.Process, stdout io.Closer)
		says string
	}{
		{"its reader has gone", func(t *testing.T, _ *os.Process, stdout io.Closer) { stdout.Close() },
			"stopped before the end, as the output could not be written: write /dev/stdout: broken pipe; topic and group are gone"},
		{"its terminal has closed", func(t *testing.T, p *os.Process, _ io.Closer) {
			for range 3 { // the shell's, and the kernel's as often as it likes
				if err := p.Signal(syscall.SIGHUP); err != nil {
					t.Error(err)
				}
			}
		}, "stopped before the end; topic and group are gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := lab.Start(lab.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			cmd, stderr := exec.Command(os.Args[0], "exercise", "--yes", "--brokers", strings.Join(c.Addrs(), ",")), &bytes.Buffer{}
			cmd.Env, cmd.Stderr = append(os.Environ(), asProgram+"=1"), stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stdout)
			// Early: this process may be slow to see a line, and the exercise goes on meanwhile.
			for lines.Scan() && !strings.HasPrefix(lines.Text(), "2  ") {
			}
			tt.end(t, cmd.Process, stdout)
			_, _ = io.Copy(io.Discard, stdout)
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("it ended with %v", err)
			}
			if d := cmp.Diff("lagwatch-lab: "+tt.says+"\n", stderr.String()); d != "" {
				t.Errorf("stderr (-want +got):\n%s", d)
			}
			if topics, err := c.Admin().ListTopics(t.Context()); err != nil || len(topics) > 0 {
				t.Errorf("there are topics %v, %v", topics.Names(), err)
			}
			if groups, err := c.Admin().ListGroups(t.Context()); err != nil || len(groups) > 0 {
				t.Errorf("there are groups %v, %v", groups.Groups(), err)
			}
		})
	}
}

// A report that nobody gets is no success: the exit status was 0 on a full disk.
func TestAReportThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"exercise"}, {"exercise", "--json"}, {"demo", "--listen", "127.0.0.1:0"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			code := run(t.Context(), args, full{}, &stderr)
			if code != 1 || !strings.Contains(stderr.String(), "the output could not be written: no space left on device") {
				t.Errorf("exit status %d, stderr %q", code, stderr.String())
			}
		})
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// All that was left behind is named; of two only the first was.
func TestStoppedNamesAllThatIsLeft(t *testing.T) {
	err := errors.Join(errors.New("no broker answers"), errors.Join(
		&exercise.LeftBehindError{What: "group x", Remedy: "one command", Err: errors.New("NOT_EMPTY")},
		&exercise.LeftBehindError{What: "topic x", Remedy: "another", Err: errors.New("NOT_ALLOWED")}))
	const want = "stopped before the end; group x is left behind: NOT_EMPTY; one command removes it; topic x is left behind: NOT_ALLOWED; another removes it"
	if d := cmp.Diff(want, stopped(err, nil).Error()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
