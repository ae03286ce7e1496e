package sse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/internal/sse"
)

func decode(t *testing.T, wire []byte, step int) []sse.Event {
	t.Helper()
	var d sse.Decoder
	var all []sse.Event
	for len(wire) > 0 {
		n := min(step, len(wire))
		got, err := d.Write(wire[:n])
		require.NoError(t, err)
		all = append(all, got...)
		wire = wire[n:]
	}
	return all
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	want := []sse.Event{{Type: "a", Data: []byte(`{"x":"ä€"}`)}, {Type: "b", Data: []byte("two\nlines")}, {Type: "c", Data: []byte("")}}
	for _, f := range []sse.Format{{}, {CRLF: true}} {
		var wire []byte
		for _, e := range want {
			wire = f.Comment(wire, "heartbeat")
			wire = f.Append(wire, e.Type, e.Data)
		}
		for step := 1; step <= len(wire); step++ {
			got := decode(t, wire, step)
			require.Len(t, got, len(want), "step %d", step)
			for i := range want {
				require.Equal(t, want[i].Type, got[i].Type)
				require.Equal(t, string(want[i].Data), string(got[i].Data))
			}
		}
	}
}

func TestDecoder(t *testing.T) {
	for _, tt := range []struct {
		name, wire string
		want       []string
		reason     string
	}{
		{"no blank line at the end", "data: x\n", nil, "an event that is not closed is lost"},
		{"event line only", "event: x\n\n", nil, "without data there is no event"},
		{"CR alone ends a line", "data: x\r\r", []string{"x"}, "the standard has three line ends"},
		{"no space after the colon", "data:x\n\n", []string{"x"}, "the space is optional"},
		{"unknown fields", "id: 4\nretry: 5\nfoo\ndata: x\n\n", []string{"x"}, "ignored"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range decode(t, []byte(tt.wire), 1) {
				got = append(got, string(e.Data))
			}
			require.Equal(t, tt.want, got, tt.reason)
		})
	}
}

func TestDecoderIsBounded(t *testing.T) {
	d := sse.Decoder{Limit: 8}
	_, err := d.Write([]byte("data: 1234567890"))
	require.ErrorIs(t, err, sse.ErrTooLong)
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("event: a\r\ndata: b\r\n\r\n: c\n\ndata\n\n"), uint8(3))
	f.Fuzz(func(t *testing.T, wire []byte, step uint8) {
		whole := decode(t, wire, max(1, len(wire)))
		pieces := decode(t, wire, int(step)+1)
		require.Equal(t, whole, pieces, "how the bytes are cut must not matter")
	})
}
