package main

import (
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// Variables ask Prometheus for their values along the chain cluster, group,
// topic. All stands for the pattern .*, never for a list of thousands of names.

// variableSource chooses the Prometheus.
func variableSource() dashboard.VariableModel {
	return dashboard.VariableModel{
		Type: "datasource", Name: "datasource", Label: new("Data source"),
		Description: new("The Prometheus that scrapes lagwatch."),
		Query:       &dashboard.StringOrMap{String: new("prometheus")},
		Refresh:     new(dashboard.VariableRefreshOnDashboardLoad),
	}
}

// variableOne is a variable with one value of a label of a series.
func variableOne(name, label, about, series string) dashboard.VariableModel {
	query := "label_values(" + series + ", " + labelOf(name) + ")"
	return dashboard.VariableModel{
		Type: "query", Name: name, Label: &label, Description: &about,
		Datasource: source(), Definition: &query,
		Query:   &dashboard.StringOrMap{Map: map[string]any{"query": query, "refId": "variable-" + name, "qryType": 1}},
		Refresh: new(dashboard.VariableRefreshOnTimeRangeChanged),
		Sort:    new(dashboard.VariableSortAlphabeticalCaseInsensitiveAsc),
	}
}

// variableMany is one that takes several values, or All, which is what it
// begins with.
func variableMany(name, label, about, series string) dashboard.VariableModel {
	v := variableOne(name, label, about, series)
	v.Multi, v.IncludeAll, v.AllValue = new(true), new(true), new(".*")
	v.Current = &dashboard.VariableOption{Selected: new(true), Text: texts("All"), Value: texts("$__all")}
	return v
}

// labelOf is the label that a variable has its values from.
func labelOf(name string) string {
	if name == "cluster" {
		return "kafka_cluster"
	}
	return name
}

// variableText is typed by the reader.
func variableText(name, label, about string) dashboard.VariableModel {
	return dashboard.VariableModel{
		Type: "textbox", Name: name, Label: &label, Description: &about,
		Query:   &dashboard.StringOrMap{String: new("")},
		Current: &dashboard.VariableOption{Selected: new(true), Text: text(""), Value: text("")},
		Options: []dashboard.VariableOption{{Selected: new(true), Text: text(""), Value: text("")}},
	}
}

// variableChoice has these values; the first is the one that it begins with.
func variableChoice(name, label, about string, values ...string) dashboard.VariableModel {
	v := dashboard.VariableModel{
		Type: "custom", Name: name, Label: &label, Description: &about,
		Query: &dashboard.StringOrMap{String: new(strings.Join(values, ","))},
	}
	for i, value := range values {
		v.Options = append(v.Options, dashboard.VariableOption{Selected: new(i == 0), Text: text(value), Value: text(value)})
	}
	v.Current = &v.Options[0]
	return v
}

func text(s string) dashboard.StringOrArrayOfString {
	return dashboard.StringOrArrayOfString{String: &s}
}

func texts(s ...string) dashboard.StringOrArrayOfString {
	return dashboard.StringOrArrayOfString{ArrayOfString: s}
}

// The variables as most dashboards have them.

// variableCluster is one cluster.
func variableCluster() dashboard.VariableModel {
	return variableOne("cluster", "Cluster", "The Kafka cluster, by the name that lagwatch's config gives it.", "lagwatch_up")
}

// variableClusters are several, or all.
func variableClusters() dashboard.VariableModel {
	return variableMany("cluster", "Cluster", "The Kafka clusters, by the names that lagwatch's config gives them.", "lagwatch_up")
}

// variableGroup is one group of the cluster, missing ones that are expected included.
func variableGroup() dashboard.VariableModel {
	return variableOne("group", "Group", "The consumer group. Type a part of its name to find it.",
		`lagwatch_group_objective_info{kafka_cluster="$cluster"}`)
}

// variableGroupTopics are topics of the group, or all that it reads.
func variableGroupTopics() dashboard.VariableModel {
	return variableMany("topic", "Topic", "Topics that the group reads; panels by topic or partition show these.",
		`lagwatch_group_topic_partitions{kafka_cluster="$cluster", group="$group"}`)
}

// variableTopic is one topic of the cluster.
func variableTopic() dashboard.VariableModel {
	return variableOne("topic", "Topic", "The topic. Type a part of its name to find it.",
		`lagwatch_topic_partitions{kafka_cluster="$cluster"}`)
}
