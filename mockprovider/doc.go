// Package mockprovider is a scriptable fake of the Responses API.
package mockprovider
