package plan

import "path"

// contentForm is what a file holds: a text, or a picture.
func contentForm() form[Content] {
	text := textForm()
	picture := kind[Content]{"a picture", []key[Content]{
		required(field("png", pngForm(), func(c *Content) **[2]int { return &c.PNG }, "[width, height]")),
	}}.asForm()
	s := anyOf(text.schema, picture.schema)
	return form[Content]{"text | { png = [width, height] }", s, func(r *reader, v *value) (Content, bool) {
		if v.get("png") != nil {
			return picture.read(r, v)
		}
		t, ok := text.read(r, v)
		return Content{Text: t}, ok
	}}
}

// maxPixels bounds a side of a picture.
const maxPixels = 20_000

func pngForm() form[*[2]int] {
	s := schema{"type": "array", "items": schema{"type": "integer", "minimum": 1, "maximum": maxPixels}, "minItems": 2, "maxItems": 2}
	return form[*[2]int]{"[width, height]", s, func(r *reader, v *value) (*[2]int, bool) {
		var size [2]int
		if v.kind != isArray || len(v.items) != 2 {
			wrong(r, v, "[width, height]")
			return nil, false
		}
		for i, side := range v.items {
			if side.kind != isInt || side.num < 1 || side.num > maxPixels {
				r.fault(side, "a side of a picture is 1 to %d pixels, not %s", maxPixels, described(side))
				return nil, false
			}
			size[i] = int(side.num)
		}
		return &size, true
	}}
}

// pathForm is a path that stays in its folder.
func pathForm() form[string] {
	f := nonEmptyForm("path")
	read := f.read
	f.read = func(r *reader, v *value) (string, bool) {
		s, ok := read(r, v)
		if ok && !staysInside(s) {
			r.fault(v, "the path %q leaves its folder; write a relative one without ..", s)
			return "", false
		}
		return s, ok
	}
	return f
}

func staysInside(p string) bool {
	clean := path.Clean(p)
	return !path.IsAbs(p) && clean != ".." && clean != "." && !(len(clean) > 2 && clean[:3] == "../")
}
