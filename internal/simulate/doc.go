// Package simulate makes traces of consumer groups of which all is known: how fast
// records arrive and are worked off, how long they have been waiting, and when the
// group will have caught up. The same scenario and seed make the same trace.
//
// Time goes in steps of a tenth of a second. In each, records arrive, members
// process some of what has arrived, and commit; what a poll reads is what holds at
// the end of a step.
package simulate
