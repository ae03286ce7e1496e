package mockprovider

// Check tells what is wrong with a script, without running it.
func (s *Script) Check() []Fault { return nil }
