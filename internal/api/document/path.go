package document

import (
	"net/url"
	"strings"
)

// Root is what the paths of the API begin with.
const Root = "/api/v1/"

// GroupPath is the path, and the query, of a group's document.
func GroupPath(group, cluster string) string { return path("groups", group, cluster) }

// TopicPath is the path, and the query, of a topic's document.
func TopicPath(topic, cluster string) string { return path("topics", topic, cluster) }

// path escapes a name, also one that is dots only: those mean folders. Without a
// cluster it is looked for in all of them.
func path(kind, name, cluster string) string {
	escaped := url.PathEscape(name)
	if name == "." || name == ".." {
		escaped = strings.ReplaceAll(name, ".", "%2E")
	}
	if cluster == "" {
		return Root + kind + "/" + escaped
	}
	return Root + kind + "/" + escaped + "?cluster=" + url.QueryEscape(cluster)
}
