package simulate

import (
	"math/rand/v2"
	"slices"
	"time"
)

// breaking are those in which something happens to members.
func breaking() []Scenario {
	return []Scenario{
		{"stuck-record", "one of four partitions stands still for a quarter of an hour", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			s := fourPartitions(time.Hour, same4(Constant(rate)), 1, Constant(rate*2*between(r, 1.3, 2)), every(5*time.Second))
			s.Events = Stick(0, 900, 900)
			return s
		}},
		{"stops", "nothing is processed for twenty minutes", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			s := fourPartitions(time.Hour, same4(Constant(rate)), 1, Constant(rate*2*between(r, 1.5, 3)), every(time.Minute))
			s.Events = slices.Concat(Pause(0, 900, 1200), Pause(1, 900, 1200))
			return s
		}},
		{"crash", "a member dies while catching up, the other takes over", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			s := fourPartitions(time.Hour, same4(Constant(rate)), 1, Constant(rate*between(r, 5, 7)), every(5*time.Second))
			for range 4 {
				s.Behind = append(s.Behind, int64(rate*2400))
			}
			s.Events = Crash(0, 1, 600, 45)
			return s
		}},
		{"rebalances", "all stand still for 10 to 30 s every five minutes", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			s := fourPartitions(time.Hour, same4(Constant(rate)), 1, Constant(rate*between(r, 3, 5)), every(5*time.Second))
			for range 4 {
				s.Behind = append(s.Behind, int64(rate*1800))
			}
			for at := 300.0; at < 3600; at += 300 {
				pause := between(r, 10, 30)
				s.Events = slices.Concat(s.Events, Pause(0, at, pause), Pause(1, at, pause))
			}
			return s
		}},
		{"scale-out", "falls behind, until a second member takes half of the partitions", func(r *rand.Rand) Setup {
			rate := between(r, 20, 100)
			s := fourPartitions(time.Hour, same4(Constant(rate)), 1, Constant(rate*between(r, 2.6, 3.6)), every(5*time.Second))
			s.Members[0].Owns, s.Members[1].Owns = []int{0, 1, 2, 3}, nil
			s.Events = slices.Concat(Pause(0, 900, 8), Assign(2, 1, 900), Assign(3, 1, 900), Pause(1, 900, 8))
			return s
		}},
		{"idle", "nothing arrives, ten records stay unread for an hour", func(*rand.Rand) Setup {
			s := one(time.Hour, Producer{Constant(0), 0}, Constant(100), every(5*time.Second))
			s.Past, s.Behind = day(1), []int64{10}
			s.Events = Stick(0, 0, 7200)
			return s
		}},
		{"rewind", "the group is set back by half an hour of records", func(r *rand.Rand) Setup {
			rate := between(r, 20, 200)
			s := one(time.Hour, Producer{Constant(rate), 1}, Constant(rate*between(r, 2, 4)), every(5*time.Second))
			s.Events = Rewind(0, 900, int64(rate*1800))
			return s
		}},
		{"retention", "stands still until what it has not read is deleted", func(r *rand.Rand) Setup {
			rate := between(r, 20, 200)
			s := one(time.Hour, Producer{Constant(rate), 1}, Constant(rate*between(r, 2, 4)), every(5*time.Second))
			s.Past.Span, s.Retain = 10*time.Minute, 10*time.Minute
			s.Events = Pause(0, 600, 1200)
			return s
		}},
	}
}

// watching are those in which something happens to the polls.
func watching() []Scenario {
	return []Scenario{
		{"restart", "lagwatch starts anew three times while the group catches up", func(r *rand.Rand) Setup {
			s := catchUp(between(r, 20, 300), 1, between(r, 0.3, 2), 40*time.Minute, every(5*time.Second))
			s.Events = slices.Concat(Restart(600, 20), Restart(1200, 5), Restart(1800, 60))
			return s
		}},
		{"old-commit", "lagwatch starts when the oldest unread record is 20 hours old", func(r *rand.Rand) Setup {
			rate := between(r, 5, 50)
			s := one(30*time.Minute, Producer{Constant(rate), 1}, Constant(rate*between(r, 2, 4)), every(5*time.Second))
			s.Behind = []int64{int64(rate * 20 * 3600)}
			return s
		}},
		{"lossy-polls", "one poll of five fails, one partition of ten is missing in the others", func(r *rand.Rand) Setup {
			s := catchUp(between(r, 20, 500), 1, between(r, 0.3, 3), 40*time.Minute, every(5*time.Second))
			s.Polls = Polls{Every: 10 * time.Second, Jitter: 0.3, Between: time.Second, Lost: 0.2, LostOne: 0.1}
			return s
		}},
		{"polls-5s", "a poll every 5 s, commits every 10 s", func(r *rand.Rand) Setup {
			s := catchUp(between(r, 20, 500), 1, between(r, 0.2, 3), 30*time.Minute, every(10*time.Second))
			s.Polls = polls(5 * time.Second)
			return s
		}},
		{"polls-30s", "a poll every 30 s, commits every second", func(r *rand.Rand) Setup {
			s := catchUp(between(r, 20, 500), 1, between(r, 0.2, 3), time.Hour, every(time.Second))
			s.Polls = polls(30 * time.Second)
			return s
		}},
		{"polls-60s", "a poll every minute, commits every 5 s", func(r *rand.Rand) Setup {
			s := catchUp(between(r, 20, 500), 1, between(r, 0.2, 3), 80*time.Minute, every(5*time.Second))
			s.Polls = Polls{Every: time.Minute, Jitter: 0.1, Between: time.Second}
			return s
		}},
	}
}
