// A proxy without any policy: node:http in front, undici behind. `node bare-proxy.js PORT BACKEND_PORT`.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const [port, backend] = process.argv.slice(2).map(Number)
const pool = new Pool(`http://127.0.0.1:${backend}`)
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length', 'expect'])

const passable = headers => Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))

class Relay {
  #response
  #controller

  constructor(response) {
    this.#response = response
    response.on('close', () => {
      if (!response.writableFinished) this.#controller?.abort(new Error('the client left'))
    })
  }

  onRequestStart(controller) {
    this.#controller = controller
  }

  onResponseStart(controller, status, headers) {
    const { connection, 'keep-alive': _, 'transfer-encoding': __, ...rest } = headers
    this.#response.writeHead(status, rest)
    this.#response.on('drain', () => controller.resume())
  }

  onResponseData(controller, chunk) {
    if (!this.#response.write(chunk)) controller.pause()
  }

  onResponseEnd() {
    this.#response.end()
  }

  onResponseError() {
    if (!this.#response.headersSent) this.#response.writeHead(502)
    this.#response.end()
  }
}

createServer((request, response) => {
  const pieces = []
  request.on('data', piece => pieces.push(piece))
  request.on('end', () => {
    const body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
    const { method, url: path, headers } = request
    pool.dispatch({ method, path, headers: passable(headers), body }, new Relay(response))
  })
}).listen(port, '127.0.0.1')
