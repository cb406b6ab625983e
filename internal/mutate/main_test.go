package main

import (
	"os"
	"strings"
	"testing"
)

// A break whose text is no longer in the product breaks nothing.
func TestEveryBreakFitsTheProduct(t *testing.T) {
	names := map[string]bool{}
	for _, b := range every {
		if names[b.name] {
			t.Errorf("%s: the name is taken", b.name)
		}
		names[b.name] = true
		text, err := os.ReadFile("../../" + b.file)
		if err != nil {
			t.Error(err)
			continue
		}
		if n := strings.Count(string(text), b.old); n != 1 {
			t.Errorf("%s: its text stands in %s %d times, want once", b.name, b.file, n)
		}
		if b.old == b.new {
			t.Errorf("%s: changes nothing", b.name)
		}
	}
}

// A break whose panic struck a goroutine of a test's, so that go test called
// none failed, used to end the run as one that nobody judged.
func TestVerdict(t *testing.T) {
	crash := "panic: a page could not be made\n\ngoroutine 98 [running]:\n" +
		"example.com/page.(*Page).get(...)\n\t/src/page.go:127\n" +
		"example.com/page.TestOnce.TestOnce.func1.func3()\n\t/src/page_test.go:50 +0x16b\n" +
		"FAIL\texample.com/page\t0.306s\nFAIL\n"
	for _, c := range []struct{ name, out, want string }{
		{"a test failed", "--- FAIL: TestSum (0.00s)\n    sum_test.go:3: 4\nFAIL\n", "noticed by TestSum"},
		{"a part of a test failed", "    --- FAIL: TestSum/of_none (0.00s)\nFAIL\n", "noticed by TestSum/of_none"},
		{"tests hang", "panic: test timed out after 5m0s\n\tTestSum (5m0s)\n", "noticed: the tests hang"},
		{"a goroutine panicked", crash, "noticed by TestOnce, which crashed"},
		{"a map was written twice at once", strings.Replace(crash, "panic:", "fatal error:", 1), "noticed by TestOnce, which crashed"},
		{"no test was running", "panic: before any\n\ngoroutine 1 [running]:\nmain.init()\nFAIL\n", ""},
		{"the tests do not build", "# example.com/page\n./page_test.go:3:1: undefined: TestOnce\nFAIL\texample.com/page [build failed]\n", ""},
	} {
		if got := verdict(c.out); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
