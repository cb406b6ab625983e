package newest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// family is what a page says of a family. What it doesn't say is empty.
type family struct {
	Type model.MetricType
	Help string
	Unit string
}

// page is what Prometheus makes of a page: series by their labels, families by
// the name that their series have.
type page struct {
	samples  map[string]float64
	families map[string]family

	// The family whose description is being read, by the name that it is
	// described under, and which names were.
	name      string
	current   family
	described map[string]bool
}

// twice is described twice in OpenMetrics: client_golang's Go collector has a
// gauge of that name and a counter of it with _total, which OpenMetrics takes
// off. Prometheus doesn't mind.
const twice = "go_memstats_alloc_bytes"

// parse reads a page as the scrape loop does. A series that stands there twice
// is an error, and so is what lagwatch doesn't have: timestamps, exemplars,
// native histograms.
func parse(body []byte, contentType string) (*page, error) {
	parser, err := textparse.New(body, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return nil, err
	}
	p := &page{samples: make(map[string]float64), families: make(map[string]family), described: make(map[string]bool)}
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return p, p.endFamily()
		}
		if err == nil {
			err = p.take(parser, entry)
		}
		if err != nil {
			return nil, fmt.Errorf("after %d samples: %w", len(p.samples), err)
		}
	}
}

func (p *page) take(parser textparse.Parser, entry textparse.Entry) error {
	switch entry {
	case textparse.EntrySeries:
		return errors.Join(p.endFamily(), p.takeSample(parser))
	case textparse.EntryType:
		name, kind := parser.Type()
		return p.describe(string(name), func(f *family) { f.Type = kind })
	case textparse.EntryHelp:
		name, help := parser.Help()
		return p.describe(string(name), func(f *family) { f.Help = string(help) })
	case textparse.EntryUnit:
		name, unit := parser.Unit()
		return p.describe(string(name), func(f *family) { f.Unit = string(unit) })
	case textparse.EntryComment:
		return fmt.Errorf("a comment: %s", parser.Comment())
	}
	return fmt.Errorf("an entry of kind %d", entry)
}

// describe adds to what is said of a family.
func (p *page) describe(name string, add func(*family)) error {
	if name != p.name {
		if err := p.endFamily(); err != nil {
			return err
		}
		if p.described[name] && name != twice {
			return fmt.Errorf("%s is described twice", name)
		}
		p.name, p.described[name] = name, true
	}
	add(&p.current)
	return nil
}

// endFamily keeps what was said of a family, by the name that its series have:
// OpenMetrics describes counters without the end of it.
func (p *page) endFamily() error {
	name, f := p.name, p.current
	p.name, p.current = "", family{}
	if name == "" {
		return nil
	}
	if f.Type == model.MetricTypeCounter && !strings.HasSuffix(name, "_total") {
		name += "_total"
	}
	if _, again := p.families[name]; again {
		return fmt.Errorf("%s is described again", name)
	}
	p.families[name] = f
	return nil
}

func (p *page) takeSample(parser textparse.Parser) error {
	_, at, value := parser.Series()
	var of labels.Labels
	parser.Labels(&of)
	var extra exemplar.Exemplar
	name := of.String()
	if _, again := p.samples[name]; again {
		return fmt.Errorf("%s stands there twice", name)
	}
	if at != nil || parser.Exemplar(&extra) {
		return fmt.Errorf("%s has a timestamp or an exemplar", name)
	}
	if !of.IsValid(model.LegacyValidation) {
		return fmt.Errorf("%s has names or values that Prometheus refuses", name)
	}
	p.samples[name] = value
	return nil
}
