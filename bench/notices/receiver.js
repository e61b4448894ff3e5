// A receiver of webhooks, in a process of its own. node bench/notices/receiver.js PORT. `PUT /away` makes it answer 503 until
// `PUT /back`; `GET /` says how many deliveries it took, and of how many notices.
import { createServer } from 'node:http'

const [, , port] = process.argv
const ids = new Set()
let [isAway, deliveries] = [false, 0]

createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    if (request.method === 'GET') return response.end(JSON.stringify({ deliveries, notices: ids.size }))
    if (request.method === 'PUT') isAway = request.url === '/away'
    if (request.method === 'POST') {
      if (isAway) return response.writeHead(503).end()
      deliveries++
      ids.add(request.headers['webhook-id'])
    }
    response.end()
  })
}).listen(Number(port), '127.0.0.1')
