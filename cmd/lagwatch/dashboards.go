package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/lagwatch/lagwatch/dashboards"
	"github.com/lagwatch/lagwatch/internal/command"
)

// sidecarLabel is what the sidecar of Grafana's Helm chart looks for by default.
const sidecarLabel = "grafana_dashboard"

// dashboardsTo is how and where the dashboards are to be written.
type dashboardsTo struct {
	dir, format, namespace string
	labels                 []string // k=v
}

func newDashboards() *cobra.Command {
	var to dashboardsTo
	cmd := &cobra.Command{
		Use:   "dashboards --out DIR",
		Short: "Write the Grafana dashboards that belong to this version",
		Long: `dashboards writes the Grafana dashboards of this version into a folder, which is
made if it is not there: as JSON, for Grafana's import or a provisioned folder; or
as ConfigMaps with the label grafana_dashboard: "1", which the sidecar of Grafana's
Helm chart loads. A file that is there is replaced; one that cannot be written
leaves the old one as it was.`,
		Example: "  lagwatch dashboards --out /var/lib/grafana/dashboards\n  lagwatch dashboards --out manifests --format configmap --namespace monitoring",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			labels, err := to.check()
			if err != nil {
				return err
			}
			files, err := to.files(labels)
			if err != nil {
				return command.Failed(err)
			}
			return command.Failed(writeAll(to.dir, files, cmd.OutOrStdout()))
		},
	}
	f := cmd.Flags()
	f.StringVar(&to.dir, "out", "", "write into this `folder`")
	f.StringVar(&to.format, "format", "json", "json, or `configmap`")
	f.StringVar(&to.namespace, "namespace", "", "the ConfigMaps' `namespace` (default: none, that of whoever applies them)")
	f.StringArrayVar(&to.labels, "label", nil, "a label `key=value` of the ConfigMaps; again for more. "+sidecarLabel+"=1 is there unless another value is given")
	return cmd
}

// Names as Kubernetes takes them; at most 63 characters, of a label's key the
// part after a prefix.
var (
	namespaceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	labelKey      = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValue    = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

// check says what is wrong with what was asked for, and returns the labels.
func (to dashboardsTo) check() (map[string]string, error) {
	labels := map[string]string{sidecarLabel: "1"}
	switch {
	case to.dir == "":
		return nil, errors.New("--out is missing: name the folder to write into")
	case to.format != "json" && to.format != "configmap":
		return nil, fmt.Errorf("--format is json or configmap, not %q", to.format)
	case to.format == "json" && to.namespace != "":
		return nil, errors.New("--namespace is of --format configmap: JSON has none")
	case to.format == "json" && len(to.labels) > 0:
		return nil, errors.New("--label is of --format configmap: JSON has none")
	case to.namespace != "" && !namespaceName.MatchString(to.namespace):
		return nil, fmt.Errorf("--namespace %q is no name of a namespace", to.namespace)
	}
	given := map[string]bool{}
	for _, l := range to.labels {
		key, value, ok := strings.Cut(l, "=")
		switch {
		case !ok || !labelKey.MatchString(key):
			return nil, fmt.Errorf("--label %q is not key=value with a key that Kubernetes takes", l)
		case !labelValue.MatchString(value):
			return nil, fmt.Errorf("--label %s: %q is no value that Kubernetes takes", key, value)
		case given[key]:
			return nil, fmt.Errorf("--label %s is given twice", key)
		}
		labels[key], given[key] = value, true
	}
	return labels, nil
}

// file is one to be written.
type file struct {
	name string
	text []byte
}

// files are the dashboards as they are committed, or in ConfigMaps.
func (to dashboardsTo) files(labels map[string]string) ([]file, error) {
	all, err := dashboards.All()
	if err != nil {
		return nil, err
	}
	var list []file
	for _, d := range all {
		if to.format == "json" {
			list = append(list, file{d.UID + ".json", d.JSON})
			continue
		}
		text, err := configMap(d, to.namespace, labels)
		if err != nil {
			return nil, fmt.Errorf("the ConfigMap of %s: %w", d.UID, err)
		}
		list = append(list, file{d.UID + ".yaml", text})
	}
	return list, nil
}

// configMap holds one dashboard, byte for byte.
func configMap(d dashboards.Dashboard, namespace string, labels map[string]string) ([]byte, error) {
	type metadata struct {
		Name      string            `yaml:"name"`
		Namespace string            `yaml:"namespace,omitempty"`
		Labels    map[string]string `yaml:"labels"`
	}
	literal := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.LiteralStyle, Value: string(d.JSON)}
	return yaml.Marshal(struct {
		APIVersion string               `yaml:"apiVersion"`
		Kind       string               `yaml:"kind"`
		Metadata   metadata             `yaml:"metadata"`
		Data       map[string]yaml.Node `yaml:"data"`
	}{"v1", "ConfigMap", metadata{d.UID, namespace, labels}, map[string]yaml.Node{d.UID + ".json": literal}})
}

// writeAll writes the files into dir and says each that is in its place. All are
// written beside their places first, so that a full disk leaves what was there.
func writeAll(dir string, files []file, said io.Writer) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder for the dashboards: %w", err)
	}
	var beside []string
	defer func() {
		for _, path := range beside {
			err = errors.Join(err, ignoreGone(os.Remove(path)))
		}
	}()
	for _, f := range files {
		path, err := writeBeside(dir, f)
		if err != nil {
			return fmt.Errorf("writing %s: %w", filepath.Join(dir, f.name), err)
		}
		beside = append(beside, path)
	}
	for i, f := range files {
		path := filepath.Join(dir, f.name)
		if err := os.Rename(beside[i], path); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
		fmt.Fprintln(said, "wrote", path)
	}
	return nil
}

// writeBeside writes a file under another name in dir, and returns its path; none
// is left when it fails.
func writeBeside(dir string, f file) (string, error) {
	t, err := os.CreateTemp(dir, "."+f.name+"-*")
	if err != nil {
		return "", err
	}
	_, err = t.Write(f.text)
	if err = errors.Join(err, t.Chmod(0o644), t.Close()); err != nil {
		return "", errors.Join(err, os.Remove(t.Name()))
	}
	return t.Name(), nil
}

func ignoreGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
