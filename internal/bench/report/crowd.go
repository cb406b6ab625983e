package report

import "fmt"

// Crowd is what many scrapes at once cost.
type Crowd struct {
	Scrapers  int     `json:"scrapers"`
	PageBytes float64 `json:"page_bytes"` // of the body, as it was sent
	Alone     Rush    `json:"alone"`
	// BesideSlow is the same while another scraper reads a byte a second.
	BesideSlow Rush `json:"beside_slow"`
	// Growth is of the most that was resident meanwhile, over what was before, with
	// what is free given back; of Alone.
	Growth uint64 `json:"growth_bytes"`
}

// Rush is how many scrapes at once went.
type Rush struct {
	Answered int     `json:"answered"`          // with status 200 and the whole page
	Seconds  float64 `json:"seconds,omitempty"` // until all were, 0 if not all were
	Failure  string  `json:"failure,omitempty"` // the first, "" if there was none
}

// perScraper is the memory that a scraper may take, in bytes: that of a
// connection, and of the metrics of the process, which are made for each.
const perScraper = 256 << 10

// MostPlain is how large a page may be, in bytes, to be scraped without compression
// by all at once: of a larger one they would read what no scraper waits for.
const MostPlain = 256 << 20

// rows show a crowd in an encoding. One that was not measured has none.
func (c Crowd) rows(encoding string) []row {
	if c.Scrapers == 0 {
		return nil
	}
	name := fmt.Sprintf("%d scrapes at once, %s", c.Scrapers, encoding)
	list := append(c.Alone.rows(name, c.Scrapers), row{name: name + ": MiB of memory more", lagwatch: float64(c.Growth) / mib, target: c.growthTarget()})
	return append(list, c.BesideSlow.rows(name+", beside one that reads a byte a second", c.Scrapers)...)
}

func (r Rush) rows(name string, all int) []row {
	answered := Target{Text: fmt.Sprintf("all %d", all), Met: r.Answered == all, Cause: r.Failure}
	list := []row{{name: name + ": answered", lagwatch: float64(r.Answered), target: answered}}
	if r.Answered == all {
		list = append(list, row{name: name + ": seconds", lagwatch: r.Seconds})
	}
	return list
}

func (c Crowd) growthTarget() Target {
	limit := c.PageBytes + float64(c.Scrapers*perScraper)
	return Target{Text: fmt.Sprintf("at most %s, the page and 256 KiB for each", number(limit/mib)), Met: float64(c.Growth) <= limit}
}
