"""Reads a trace by Perfetto's published types of messages, and checks what a viewer relies on; see perfetto.test."""
import collections
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as types

trace = types.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
Event = types.TrackEvent
tracks, names, categories, notes = {}, {}, {}, {}
open_on, starts, ends, counts, begins, last = collections.Counter(), [], [], 0, 0, 0
assert trace.packet[0].sequence_flags & types.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
for packet in trace.packet:
    if packet.HasField("track_descriptor"):
        track = packet.track_descriptor
        assert track.uuid not in tracks and track.name, "a track is declared twice, or has no name"
        assert not track.HasField("parent_uuid") or track.parent_uuid in tracks, "a track has no such parent"
        tracks[track.uuid] = track
    for table, entries in ((names, packet.interned_data.event_names), (categories, packet.interned_data.event_categories),
                           (notes, packet.interned_data.debug_annotation_names)):
        table.update({entry.iid: entry.name for entry in entries})
    if not packet.HasField("track_event"):
        continue
    event = packet.track_event
    assert event.track_uuid in tracks, "something happens on a track that is not declared"
    assert packet.timestamp >= last, "time goes backwards"
    last = packet.timestamp
    if event.type in (Event.TYPE_SLICE_BEGIN, Event.TYPE_INSTANT):
        assert names[event.name_iid] and all(categories[iid] for iid in event.category_iids)
        assert all(notes[note.name_iid] and note.string_value for note in event.debug_annotations)
        starts += event.flow_ids
        ends += event.terminating_flow_ids
    if event.type == Event.TYPE_COUNTER:
        counts += 1
        assert tracks[event.track_uuid].HasField("counter")
    elif event.type != Event.TYPE_INSTANT:
        begins += event.type == Event.TYPE_SLICE_BEGIN
        open_on[event.track_uuid] += 1 if event.type == Event.TYPE_SLICE_BEGIN else -1
        assert open_on[event.track_uuid] >= 0, "an interval ends that did not begin"
assert not any(open_on.values()), "an interval does not end"
assert sorted(starts) == sorted(ends) and len(set(starts)) == len(starts), "an arrow has one end, or three"
processes = [track for track in tracks.values() if track.HasField("process")]
assert len({track.process.pid for track in processes}) == len(processes)
threads = [track for track in tracks.values() if track.name.startswith("thread ")]
print(f"{len(processes)} processes, {len(threads)} threads; {begins} intervals, {len(starts)} arrows with two ends, "
      f"{counts} counts; all of them known")
