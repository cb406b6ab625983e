package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

const tag = "lagwatch"

// The dashboards, by uid. Alerts link to these too.
const (
	uidOverview  = "lagwatch-overview"
	uidGroup     = "lagwatch-group"
	uidTopic     = "lagwatch-topic"
	uidOwnership = "lagwatch-ownership"
	uidSelf      = "lagwatch-self"
)

var dashboardsLinked = []struct{ uid, name, about string }{
	{uidOverview, "Overview", "Every group, worst first"},
	{uidGroup, "Group", "Why one group is late, and until when"},
	{uidTopic, "Topic", "Growth and skew of one topic, and who reads it"},
	{uidOwnership, "Ownership", "Who owned what, and how often that changed"},
	{uidSelf, "lagwatch itself", "Whether what the others show can be believed"},
}

// linksFrom are the links on top of one dashboard to the others. They keep the
// time range and the variables that the other has as well.
func linksFrom(uid string) []dashboard.DashboardLink {
	var list []dashboard.DashboardLink
	for _, f := range dashboardsLinked {
		if f.uid == uid {
			continue
		}
		list = append(list, dashboard.DashboardLink{
			Title: f.name, Type: dashboard.DashboardLinkTypeLink, Icon: "dashboard", Tooltip: f.about,
			Url: new("/d/" + f.uid), Tags: []string{}, IncludeVars: true, KeepTime: true,
		})
	}
	return list
}

// toGroup, toTopic and toOwnership are links from a cell of a table that has
// columns of these names. Names are encoded: a group may be called a/b?c.
func toGroup(cluster, group string) link {
	return link{"Open this group", "/d/" + uidGroup + "?var-cluster=" + cluster + "&var-group=" + group + keep}
}

func toTopic(cluster, topic string) link {
	return link{"Open this topic", "/d/" + uidTopic + "?var-cluster=" + cluster + "&var-topic=" + topic + keep}
}

func toOwnership(cluster, group string) link {
	return link{"Open who owns what in this group", "/d/" + uidOwnership + "?var-cluster=" + cluster + "&var-group=" + group + keep}
}

// cell is the value of another column of the same row, in a link.
func cell(column string) string { return "${__data.fields." + column + ":percentencode}" }

// chosen is the value of a variable, in a link.
func chosen(variable string) string { return "${" + variable + ":percentencode}" }

// keep is the data source and the time range, in a link.
const keep = "&${datasource:queryparam}&${__url_time_range}"

type link struct{ title, url string }

func links(list ...link) []map[string]any {
	var out []map[string]any
	for _, l := range list {
		out = append(out, map[string]any{"title": l.title, "url": l.url})
	}
	return out
}
