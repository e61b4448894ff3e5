/** Bytes that no two readers of HTTP must take for different requests. */
export interface Vector {
  readonly name: string
  readonly bytes: string
  /** They stop in the middle of something. */
  readonly cut?: true
}

const CRLF = '\r\n'
const BODY = '{"messages":[{"role":"user","content":"Hi"}]}'
const CHUNKED = `${BODY.length.toString(16)}${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}`

/** Every vector, each with a key that would be served: what is refused is the form alone. */
export function vectorsFor(key: string): readonly Vector[] {
  const auth = `Authorization: Bearer ${key}`
  const usual = ['Host: x', auth, 'Content-Type: application/json']
  const length = `Content-Length: ${BODY.length}`
  const message = (line: string, headers: readonly string[], body = '') =>
    `${[line, ...headers].join(CRLF)}${CRLF}${CRLF}${body}`
  const post = (headers: readonly string[], body = BODY) =>
    message('POST /v1/chat/completions HTTP/1.1', [...usual, ...headers], body)
  const get = (target: string, headers = ['Host: x'], version = 'HTTP/1.1') =>
    message(`GET ${target} ${version}`, headers)
  /** A request that an attacker would smuggle in under somebody else's name. */
  const smuggled = post([length])
  const chunked = (body: string, more: readonly string[] = []) => post(['Transfer-Encoding: chunked', ...more], body)
  const coded = (value: string, body = CHUNKED) => post([`Transfer-Encoding:${value}`], body)
  const lengths = (...values: readonly string[]) => post(values.map(value => `Content-Length:${value}`))
  const hosts = (...values: readonly string[]) =>
    get(
      '/v1/models',
      values.map(value => `Host:${value}`),
    )
  const n = BODY.length

  return [
    // Two lengths of one body.
    ['CL.TE', post(['Content-Length: 6', 'Transfer-Encoding: chunked'], `0${CRLF}${CRLF}${smuggled}`)],
    [
      'TE.CL',
      chunked(`${smuggled.length.toString(16)}${CRLF}${smuggled}${CRLF}0${CRLF}${CRLF}`, ['Content-Length: 4']),
    ],
    ['TE with a length of 0', chunked(CHUNKED, ['Content-Length: 0'])],
    ['TE.TE with a coding unknown', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: x'], CHUNKED)],
    ['TE.TE with a coding unknown before', post(['Transfer-Encoding: x', 'Transfer-Encoding: chunked'], CHUNKED)],
    ['TE twice', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], CHUNKED)],
    ['TE chunked twice in one line', coded(' chunked, chunked')],
    ['TE gzip, chunked', coded(' gzip, chunked')],
    ['TE gzip, chunked, then a request', coded(' gzip, chunked') + smuggled],
    ['TE chunked, gzip', coded(' chunked, gzip')],
    ['TE gzip', coded(' gzip')],
    ['TE identity', coded(' identity')],
    ['TE identity with a length', post(['Transfer-Encoding: identity', length])],
    ['TE xchunked', coded(' xchunked')],
    ['TE in quotes', coded(' "chunked"')],
    ['TE after a vertical tab', coded('\x0bchunked')],
    ['TE with a parameter', coded(' chunked;q=1')],
    ['TE after a comma', coded(' , chunked')],
    ['TE before a comma', coded(' chunked,')],
    ['TE of nothing', coded('')],
    ['TE with a space before the colon', post(['Transfer-Encoding : chunked'], CHUNKED)],
    ['TE folded below another header', post(['X: y', ' Transfer-Encoding: chunked'], CHUNKED)],
    ['TE folded in itself', coded(`${CRLF} chunked`)],
    ['TE written with an underscore', post(['Transfer_Encoding: chunked', length])],
    ['CL written with an underscore', post(['Content_Length: 0', length])],
    ['TE in HTTP/1.0', chunked(CHUNKED).replace('HTTP/1.1', 'HTTP/1.0')],
    ['two CL that differ', lengths(` ${n}`, ' 5')],
    ['two CL that are equal', lengths(` ${n}`, ` ${n}`)],
    ['CL as a list', lengths(` ${n}, ${n}`)],
    ['CL negative', lengths(` -${n}`)],
    ['CL with a sign', lengths(` +${n}`)],
    ['CL in hexadecimal', lengths(` 0x${n.toString(16)}`)],
    ['CL with a space inside', lengths(' 4 5')],
    ['CL with a fraction', lengths(` ${n}.0`)],
    ['CL with an exponent', lengths(' 45e0')],
    ['CL with a letter', lengths(` ${n}a`)],
    ['CL of nothing', lengths('')],
    ['CL too large for any number', lengths(' 99999999999999999999')],
    ['CL with a space before the colon', post([`Content-Length : ${n}`])],
    // Chunks.
    ['a chunk size too large for any number', chunked(`fffffffffffffffff${CRLF}${BODY}`)],
    ['a chunk size with a prefix', chunked(CHUNKED.replace(/^/, '0x'))],
    ['a chunk size with a sign', chunked(CHUNKED.replace(/^/, '+'))],
    ['a negative chunk size', chunked(CHUNKED.replace(/^/, '-'))],
    ['a chunk size after a space', chunked(CHUNKED.replace(/^/, ' '))],
    ['no chunk size', chunked(`${CRLF}${BODY}${CRLF}0${CRLF}${CRLF}`)],
    ['a bare LF after a chunk size', chunked(CHUNKED.replace(CRLF, '\n'))],
    ['a bare CR after a chunk size', chunked(CHUNKED.replace(CRLF, '\r'))],
    ['a bare LF after a chunk', chunked(CHUNKED.replace(`}${CRLF}`, '}\n'))],
    ['nothing after a chunk', chunked(CHUNKED.replace(`}${CRLF}`, '}'))],
    ['a chunk longer than its size', chunked(CHUNKED.replace(/^../, '05'))],
    ['a chunk extension with a bare CR', chunked(CHUNKED.replace(CRLF, `;a=\rb${CRLF}`))],
    ['a chunk extension with a bare LF', chunked(CHUNKED.replace(CRLF, `;a=\nb${CRLF}`))],
    ['a chunk extension with a NUL', chunked(CHUNKED.replace(CRLF, `;a=\0${CRLF}`))],
    ['a chunk extension of 20 KB', chunked(CHUNKED.replace(CRLF, `;a=${'b'.repeat(20_000)}${CRLF}`))],
    ['a trailer of 20 KB', chunked(CHUNKED.replace(/\r\n$/, `t: ${'b'.repeat(20_000)}${CRLF}${CRLF}`))],
    ['a trailer that is none', chunked(CHUNKED.replace(/\r\n$/, `no colon${CRLF}${CRLF}`))],
    ['a last chunk without its end, then a request', chunked(`0${CRLF}${smuggled}`)],
    // Lines.
    ['bare LF at every end', smuggled.replaceAll(CRLF, '\n')],
    ['a bare LF after a header', post([`A: b\nX: y`, length])],
    ['a bare CR in a header', post(['A: b\rTransfer-Encoding: chunked', length])],
    ['a bare CR after the request line', smuggled.replace(CRLF, '\r')],
    ['CR CR LF at the end of the headers', message('POST /v1/chat/completions HTTP/1.1', [...usual, length, '\rX'])],
    ['a NUL in a header', post(['A: b\0c', length])],
    ['a NUL in the name of a header', post(['A\0: b', length])],
    ['a control character in a header', post(['A: b\x01c', length])],
    ['a header without a colon', post(['Transfer-Encoding', length])],
    ['a header without a name', post([': b', length])],
    ['a space in the name of a header', post(['Con tent: b', length])],
    ['a bracket in the name of a header', post(['A(b): c', length])],
    ['a letter of Latin-1 in the name of a header', post(['Tr\xe4nsfer: c', length])],
    ['a folded Authorization', get('/billing/quota', ['Host: x', 'Authorization:', ` Bearer ${key}`])],
    ['a header before all others that is folded', get('/v1/models', [' Host: y', 'Host: x'])],
    ['101 headers', get('/v1/models', ['Host: x', ...Array.from({ length: 100 }, (_, i) => `h${i}: 1`)])],
    ['1,500 headers', get('/v1/models', ['Host: x', ...Array.from({ length: 1500 }, (_, i) => `${i}: 1`)])],
    ['headers of 17 KB', get('/v1/models', ['Host: x', `A: ${'b'.repeat(17_000)}`])],
    // Versions.
    ['HTTP/0.9 without a version', `GET /v1/models${CRLF}${CRLF}`],
    ['HTTP/0.9', get('/v1/models', ['Host: x'], 'HTTP/0.9')],
    ['HTTP/1.2', get('/v1/models', ['Host: x'], 'HTTP/1.2')],
    ['HTTP/2.0', get('/v1/models', ['Host: x'], 'HTTP/2.0')],
    ['HTTP/11', get('/v1/models', ['Host: x'], 'HTTP/11')],
    ['a version in small letters', get('/v1/models', ['Host: x'], 'http/1.1')],
    ['another protocol', get('/v1/models', ['Host: x'], 'SIP/1.1')],
    ['the preface of HTTP/2', `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}\0\0\0\x04\0\0\0\0\0`],
    ['a hello of TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
    ['a PROXY line', `PROXY TCP4 1.2.3.4 5.6.7.8 1 2${CRLF}${get('/v1/models')}`],
    ['an unknown method', get('/v1/models').replace('GET', 'BREW')],
    ['a method in small letters', get('/v1/models').replace('GET', 'get')],
    // Where it goes.
    ['an absolute target', get('http://evil/v1/models')],
    ['an absolute target with our host', get('http://x/v1/models')],
    ['an absolute target that costs', smuggled.replace('/v1', 'http://evil/v1')],
    ['an absolute target of another scheme', get('gopher://evil/')],
    ['OPTIONS *', get('*').replace('GET', 'OPTIONS')],
    ['GET *', get('*')],
    ['a target without a slash', get('v1/models')],
    ['an authority as target', get('x:80')],
    ['CONNECT', get('x:80').replace('GET', 'CONNECT')],
    ['CONNECT, then a request', get('x:80').replace('GET', 'CONNECT') + smuggled],
    ['a space in the target', get('/v1/models /x')],
    ['a tab in the target', get('/v1/\tmodels')],
    ['a fragment', get('/v1/models#x')],
    ['a backslash', get('/\\evil/v1/models')],
    ['half an escape', get('/v1/models%4')],
    ['an escape that is none', get('/v1/models%zz')],
    ['half an escape in the query', get('/v1/models?a=%')],
    ['letters of Latin-1 in the target', get('/v1/m\xf6dels')],
    ['a NUL in the target', get('/v1/models\0')],
    ['a control character in the target', get('/v1/models\x7f')],
    ['a path that begins with two slashes', get('//evil/v1/models')],
    ['a path with dots', get('/v1/x/../models')],
    ['a path with an escaped slash', get('/v1%2fmodels')],
    ['two Hosts', hosts(' x', ' y')],
    ['the same Host twice', hosts(' x', ' x')],
    ['no Host', hosts()],
    ['an empty Host', hosts('')],
    ['a Host with a user and a path', hosts(' a@b/../')],
    ['a Host with a path', hosts(' x/v1/keys')],
    ['a Host with a space', hosts(' x y')],
    ['a Host with a comma', hosts(' x, y')],
    ['a Host with an escape', hosts(' x%2fy')],
    ['a Host with two ports', hosts(' x:80:81')],
    ['a Host with a port that is none', hosts(' x:http')],
    ['a Host with half a bracket', hosts(' [::1')],
    ['a Host with a tab before the colon', get('/v1/models', ['Host\t: x'])],
    // Who sends it, and what.
    ['two Authorizations, the good one first', post(['Authorization: Bearer svc_other', length])],
    ['two Authorizations, the good one last', post(['Authorization: Basic YTpi', length])],
    ['the same Authorization twice', post([auth, length])],
    ['two Content-Types', post(['Content-Type: text/plain', length])],
    ['a body that is compressed', post(['Content-Encoding: gzip', length])],
    ['a body that is not compressed and says so', post(['Content-Encoding: identity', length])],
    // Bytes after a refused request.
    ['two Hosts, then a request', hosts(' x', ' y') + smuggled],
    ['a bad target, then a request', get('/%') + smuggled],
    ['garbage, then a request', `${CRLF}\x01${CRLF}${smuggled}`],
    ['a dead key, with a request as its body', deadWith(smuggled, smuggled.length)],
    ['a dead key, with a request behind half a body', deadWith(`{"a":${smuggled}`, 5)],
    ['a body over the limit, then a request', `${post([`Content-Length: ${32_000_001}`], '')}${smuggled}`],
    [
      'a media type that is none, then a request',
      smuggled.replace('Content-Type: application/json', 'Content-Type: text/plain') + smuggled,
    ],
    ['the end of the connection, then a request', get('/nothing', ['Host: x', 'Connection: close']) + smuggled],
    ['HTTP/1.0, then a request', get('/nothing', ['Host: x'], 'HTTP/1.0') + smuggled],
    ['half a request line', 'POST /v1/chat/comp'],
    ['half the headers', `POST /v1/chat/completions HTTP/1.1${CRLF}Host: x${CRLF}${auth}`],
    ['half a body', post([`Content-Length: ${n + 5}`])],
    ['half a chunk', chunked(`ff${CRLF}${BODY}`)],
    ['no last chunk', chunked(CHUNKED.replace(/0\r\n\r\n$/, ''))],
  ].map(([name = '', bytes = '']) => ({ name, bytes, ...(CUT.test(name) && { cut: true as const }) }))

  function deadWith(body: string, declared: number): string {
    return message(
      'POST /v1/chat/completions HTTP/1.1',
      ['Host: x', 'Authorization: Bearer svc_dead', `Content-Length: ${declared}`],
      body,
    )
  }
}

/** Truncated requests by name: the bytes end before the request does. */
const CUT =
  /^half (?:a request line|the headers|a body|a chunk)$|^no last chunk$|without its end|too large for any number$/
