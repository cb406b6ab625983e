package diagnosis

func (l *look) stalledGroup() proof     { return clear }
func (l *look) stalledMember() proof    { return clear }
func (l *look) stalledPartition() proof { return clear }
