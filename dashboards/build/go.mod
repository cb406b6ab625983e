module github.com/lagwatch/lagwatch/dashboards/build

go 1.26.7

require (
	github.com/google/go-cmp v0.7.0
	github.com/grafana/grafana-foundation-sdk/go v0.0.22
)
