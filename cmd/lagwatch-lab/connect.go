package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lagwatch/lagwatch/configs"
)

// connectFlags are those of lagwatch that say where a Kafka is and how it is reached.
var connectFlags = []string{
	"brokers", "config", "cluster", "tls", "tls-ca-file", "tls-cert-file", "tls-key-file", "sasl-mechanism", "sasl-username", "sasl-password-file",
}

// addConnectFlags defines them as lagwatch does, with the same variables.
func addConnectFlags(f *pflag.FlagSet) {
	all := pflag.NewFlagSet("lagwatch", pflag.ContinueOnError)
	configs.AddFlags(all)
	for _, name := range connectFlags {
		f.AddFlag(all.Lookup(name))
	}
	f.Lookup("brokers").Usage = "run on the Kafka at these `addresses`, separated by commas (default: an embedded cluster)"
	f.Lookup("config").Usage = "run on the Kafka of this config `file` of lagwatch's"
	f.Lookup("cluster").DefValue, f.Lookup("cluster").Usage = "", "`name` of the cluster in that file, where it has several"
}

// checkConnect finds what flags alone show to be wrong.
func checkConnect(f *pflag.FlagSet) error {
	for address := range strings.SplitSeq(f.Lookup("brokers").Value.String(), ",") {
		if f.Changed("brokers") && strings.TrimSpace(address) == "" {
			return errors.New("--brokers has an empty address; it takes host:port, separated by commas")
		}
	}
	if f.Changed("cluster") && !f.Changed("config") {
		return errors.New("--cluster names one of the clusters of a config: give --config with it")
	}
	if elsewhere(f) {
		return nil
	}
	for _, name := range connectFlags {
		if f.Changed(name) {
			return fmt.Errorf("--%s says how a Kafka is reached: give --brokers or --config with it", name)
		}
	}
	return nil
}

// elsewhere tells whether flags name a Kafka. Variables alone don't: nobody writes to a
// Kafka because of what is left in an environment.
func elsewhere(f *pflag.FlagSet) bool { return f.Changed("brokers") || f.Changed("config") }

// target is the Kafka that flags, variables and config name, as lagwatch reads them.
func target(f *pflag.FlagSet, environ []string) (*configs.Cluster, error) {
	name, _ := f.GetString("cluster")
	chosen := f.Changed("cluster")
	f.Lookup("cluster").Changed = false // it names one of the file, and is no setting
	c, err := configs.Load(configs.Options{Flags: f, Environ: environ})
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range c.Clusters {
		names = append(names, c.Clusters[i].Name)
	}
	if !chosen && len(names) == 1 {
		name = names[0]
	}
	i := slices.Index(names, name)
	switch {
	case i >= 0 && (chosen || len(names) == 1):
		return &c.Clusters[i], nil
	case chosen:
		return nil, fmt.Errorf("there is no cluster %q in the config: name one of %s", name, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("the config has %d clusters: name one with --cluster, of %s", len(names), strings.Join(names, ", "))
}
