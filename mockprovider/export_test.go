package mockprovider

// Kept is how many replies the server keeps ready, or has met once.
func (s *Server) Kept() int {
	s.mu.Lock()
	p := &s.state.prepared
	s.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all)
}
