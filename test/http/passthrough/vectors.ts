/** Requests that would go somewhere else, carry something else, or end elsewhere. */
export interface Vector {
  readonly name: string
  readonly bytes: string
}

const CRLF = '\r\n'
const BODY = '{"input":"Hello"}'

/** Every vector, each with a key that would be served: what is refused is the request alone. `host` is the backend's. */
export function vectorsFor(key: string, host: string): readonly Vector[] {
  const usual = (type = 'application/json') => ['Host: x', `Authorization: Bearer ${key}`, `Content-Type: ${type}`]
  const send = (target: string, headers: readonly string[] = usual(), body = BODY, method = 'POST') =>
    [`${method} ${target} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, '', body].join(CRLF)
  const to = (target: string): Vector => ({ name: `target ${target}`, bytes: send(target) })
  const typed = (type: string, path = '/v1/audio/speech'): Vector => ({
    name: `${path} of type ${JSON.stringify(type)}`,
    bytes: send(path, usual(type)),
  })
  const with_ = (name: string, ...headers: readonly string[]): Vector => ({
    name,
    bytes: send('/v1/audio/speech', [...usual(), ...headers]),
  })

  return [
    // Elsewhere below or beside the base URL.
    ...[
      '/v1/audio/speech/',
      '/v1/audio/speech/..',
      '/v1/audio/speech/../../admin',
      '/v1/audio/../audio/speech',
      '/v1/./audio/speech',
      '/v1//audio/speech',
      '//v1/audio/speech',
      '/v1/audio/speech%2f..%2f..%2fadmin',
      '/v1/audio/speech/%2e%2e/%2e%2e/admin',
      '/v1/audio%2fspeech',
      '/v1/audio/speec%68',
      '/v1/audio/speech%00',
      '/v1/audio/speech%0d%0aX-Evil:%201',
      '/v1/audio/speech;a=b',
      '/v1/audio/speech;/../x',
      '/v1/audio/SPEECH',
      '/V1/audio/speech',
      '/v1/audio/speech\\..\\admin',
      '/v1/audio\\speech',
      '/v1/audio/speech#fragment',
      '/v1/audio/speech/extra',
      '/v1/audio/speec',
      '/v1/audio',
      '/audio/speech',
      '/v1/v1/audio/speech',
      '/../v1/audio/speech',
      '/%2e%2e/v1/audio/speech',
      '/v1/audio/speech..',
      '/v1/audio/speech%',
      '/v1/audio/speech%zz',
      '/v1/audio/ｓpeech',
    ].map(to),
    // A query would reach the backend unread.
    ...['?', '?model=other', '?a=b&c=d', '?/../../admin', '?%0d%0aX-Evil:1', '?url=http://evil.test'].map(query =>
      to(`/v1/audio/speech${query}`),
    ),
    // Another origin.
    ...[
      'http://evil.test/v1/audio/speech',
      `http://${host}/v1/audio/speech`,
      `http://${host}/admin`,
      'https://evil.test/v1/audio/speech',
      '//evil.test/v1/audio/speech',
      '@evil.test/v1/audio/speech',
      `/v1/audio/speech@${host}`,
      `${host}:80`,
      '*',
      'file:///etc/passwd',
    ].map(to),
    { name: 'CONNECT to the backend', bytes: send(host, usual(), '', 'CONNECT') },
    { name: 'CONNECT to the path', bytes: send('/v1/audio/speech', usual(), '', 'CONNECT') },
    // Another method.
    ...['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'OPTIONS', 'PROPFIND', 'post'].map(method => ({
      name: `method ${method}`,
      bytes: send('/v1/audio/speech', usual(), '', method),
    })),
    // Headers in headers, and headers that two readers take differently.
    with_('a header with a bare line feed', 'X-A: a\nX-Evil: 1'),
    with_('a header with a bare carriage return', 'X-A: a\rX-Evil: 1'),
    with_('a header with a NUL', 'X-A: a\0b'),
    with_('a header folded over two lines', 'X-A: a', ' b'),
    with_('a header with a blank before its colon', 'X-A : a'),
    with_('a header without a name', ': a'),
    with_('a header without a colon', 'X-A'),
    with_('a line feed in the path of a header', 'X-A\n: b'),
    with_('two hosts', 'Host: evil.test'),
    with_('two lengths', 'Content-Length: 3'),
    with_('a length and chunks', 'Transfer-Encoding: chunked'),
    with_('two authorizations', 'Authorization: Bearer other'),
    with_('two content types', 'Content-Type: text/plain'),
    with_('an encoded body', 'Content-Encoding: gzip'),
    with_('a header that a proxy could take for another', 'Content_Length: 3'),
    // Oversized.
    with_('a header of 20 KB', `X-A: ${'a'.repeat(20_000)}`),
    with_('headers of 20 KB together', ...Array.from({ length: 20 }, (_, i) => `X-${i}: ${'a'.repeat(1000)}`)),
    with_('101 headers', ...Array.from({ length: 101 }, (_, i) => `X-${i}: a`)),
    { name: 'a path of 20 KB', bytes: send(`/v1/audio/speech/${'a'.repeat(20_000)}`) },
    { name: 'a host of 20 KB', bytes: send('/v1/audio/speech', ['Host: '.padEnd(20_000, 'x')]) },
    // Bodies in disguise: what a backend would read as JSON must come as JSON.
    ...[
      'text/plain',
      'text/json',
      'application/jsonp',
      'application/vnd.api+json',
      'application/json, text/plain',
      'application/json;charset=utf-16',
      'application/x-www-form-urlencoded',
      'multipart/mixed; boundary=x',
      'application/octet-stream',
      '*/*',
      '',
    ].map(type => typed(type)),
    ...[
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary="a\\"b"',
      'multipart/form-data; boundary=a; boundary=b',
      `multipart/form-data; boundary=${'x'.repeat(71)}`,
      'multipart/form-data; boundary=a; charset=utf-7',
      'multipart/form-data; boundary=\xe9',
      'application/json',
      'audio/x\ty',
      'audio/wav; a=b, application/json',
    ].map(type => typed(type, '/v1/audio/transcriptions')),
  ]
}
