package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRemarks(t *testing.T) {
	tests := []struct {
		name             string
		remark           Remark
		json, annotation string
	}{
		{
			"an error", Remark{"a.toml", 3, 7, "error", "unknown key"},
			`{"file":"a.toml","line":3,"column":7,"severity":"error","message":"unknown key"}`,
			"::error file=a.toml,line=3,col=7::unknown key",
		},
		{
			"texts of a stranger act neither in a log nor on a terminal",
			Remark{"a,b:c.toml", 1, 1, "warning", "100 %\n::error::x \x1b[31m"},
			`{"file":"a,b:c.toml","line":1,"column":1,"severity":"warning","message":"100 %\n::error::x \u001b[31m"}`,
			`::warning file=a%2Cb%3Ac.toml,line=1,col=1::100 %25\n::error::x \x1b[31m`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var json, annotation strings.Builder
			require.NoError(t, WriteRemarkJSON(&json, tt.remark))
			require.NoError(t, WriteRemarkAnnotation(&annotation, tt.remark))
			require.Equal(t, tt.json+"\n", json.String())
			require.Equal(t, tt.annotation+"\n", annotation.String())
		})
	}
}
