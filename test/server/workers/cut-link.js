// Loaded into the processes of a tree before all else. At a signal main says what cannot be read to the process of the store, which then ends that connection.
import { subscribe } from 'node:diagnostics_channel'

if (process.argv[1]?.endsWith('main.js')) {
  let first
  // The store is what main connects to first.
  subscribe('net.client.socket', ({ socket }) => {
    first ??= socket
  })
  process.on('SIGUSR2', () => first.write(Buffer.alloc(64)))
}
