package diagnosis

func (l *look) hotPartition() proof   { return l.falling().of(HotPartition) }
func (l *look) slowMember() proof     { return l.falling().of(SlowMember) }
func (l *look) slowDependency() proof { return l.falling().of(SlowDependency) }
func (l *look) underCapacity() proof  { return l.falling().of(UnderCapacity) }
func (l *look) falling() *reason      { return &reason{CatchingUp, clear} }
