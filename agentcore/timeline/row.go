package timeline

import "time"

// Row is an item with its place in a conversation. Rows are numbered from 1,
// without gaps, within an epoch.
type Row struct {
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"`
	Turn string    `json:"turn,omitempty"`
	Item Item      `json:"item"`
	// ProviderID is, for a user row, the item as which the provider took the
	// text into its history; empty as long as it has not.
	ProviderID string `json:"providerId,omitempty"`
}

// Image is a picture in a prompt.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Attachment is something that goes along with a prompt: a text, which the model
// reads behind the prompt's own, or a skill or another thing that the provider
// knows by name and path. A prompt with another kind, a text without text or a
// skill or mention without a path is refused.
type Attachment struct {
	Kind string `json:"kind"` // text, skill, mention
	Name string `json:"name,omitempty"`
	Path string `json:"path,omitempty"`
	Text string `json:"text,omitempty"`
}

// Held is a prompt that waits for its turn.
type Held struct {
	ClientID string       `json:"clientId"`
	Text     string       `json:"text"`
	Images   []Image      `json:"images,omitempty"`
	Attached []Attachment `json:"attached,omitempty"`
	Options  any          `json:"options,omitempty"`
	At       time.Time    `json:"at"`
	Resend   bool         `json:"resend,omitempty"` // it was lost once and has a row
}

// Entry is one line of a timeline's log. Exactly one field is set.
type Entry struct {
	Epoch     string `json:"epoch,omitempty"`     // all rows before are void
	Row       *Row   `json:"row,omitempty"`       // the next row; a held prompt with its client id is held no more
	Change    *Row   `json:"change,omitempty"`    // instead of the row with this number
	Held      *Held  `json:"held,omitempty"`      // one more held prompt, or one changed
	HeldFirst *Held  `json:"heldFirst,omitempty"` // the same, before all but those that are sent again
	Dropped   string `json:"dropped,omitempty"`   // this held prompt is held no more
}
