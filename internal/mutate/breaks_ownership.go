package main

var ofOwnership = []string{"./rates/ownership", "./collector"}

// owned are the ways in which it must never be wrong how often owners changed.
var owned = []change{
	{
		name: "first-number-counted", file: "rates/ownership/count.go", packages: ofOwnership,
		old: "	case !n.known || is < n.is:\n		return false", new: "	case is < n.is:\n		return false\n	case !n.known:\n		return true",
	},
	{
		name: "unrelated-number-goes-on", file: "rates/ownership/count.go", packages: ofOwnership,
		old: "joined(s.Type) && s.Members.Known() && !n.torn", new: "joined(s.Type)",
	},
	{
		name: "rounds-counted-twice", file: "rates/ownership/count.go", packages: ofOwnership,
		old: "int64(before.is))-counted), numbered", new: "int64(before.is))), numbered",
	},
	{
		name: "static-member-moves-when-back", file: "rates/ownership/owners.go", packages: ofOwnership,
		old: "	if m.InstanceID != \"\" {\n", new: "	if m.InstanceID != \"\" && m.ID == \"\" {\n",
	},
	{
		name: "nobody-taken-for-an-owner", file: "rates/ownership/owners.go", packages: ofOwnership,
		old: "			t.owned, t.left = false, now\n", new: "			t.owned, t.left = false, now\n			for j := range t.list {\n				t.list[j].owners = 0\n			}\n",
	},
	{
		name: "unstable-through-an-outage", file: "rates/ownership/count.go", packages: ofOwnership,
		old: "	if goesOn && t.is.Unstable() {\n", new: "	if t.is.Unstable() {\n",
	},
	{
		name: "last-commits-taken-for-a-skip", file: "collector/skips.go", packages: ofCollector,
		old: "return before.poll > 0 && before.poll+1 == poll && before.generation == g.Generation", new: "return before.generation == g.Generation",
	},
	{
		name: "checkpoint-taken-for-a-skip", file: "collector/skips.go", packages: ofCollector, run: "Skips",
		old: "	case slices.ContainsFunc(m.on, k.again) ||", new: "	case len(m.on) > len(g.Topics) ||",
	},
	{
		name: "range-keeps-all-busy", file: "rates/ownership/room.go", packages: []string{"./rates/ownership"},
		old: "		if alike {\n", new: "		if alike && largest == sum {\n",
	},
	{
		name: "number-of-another-type-shown", file: "collector/groups.go", packages: ofCollector,
		old: "		if g.Type = now.Type; g.Type != kind {\n", new: "		if g.Type = now.Type; g.Type == snapshot.TypeUnknown {\n",
	},
}
