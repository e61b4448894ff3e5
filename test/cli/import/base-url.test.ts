import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isBaseUrl } from '../../../importers/src/base-url.ts'
import { FORMATS } from '../../../src/config/model/formats.ts'

const part = fc.constantFrom(
  ...[
    'http://',
    'https://',
    'HTTP://',
    'ftp://',
    'a.example',
    '10.0.0.1',
    '[::1]',
    ':8080',
    ':99999',
    '/',
    '/v1',
    '//',
    '\\',
  ],
  ...['@', 'user@', '?', '?q=1', '#', '#top', ' ', '\n', '%', '%20', 'ü', '$', '{X}', '*', '"', '€', '😀', ''],
)

it('an import takes a text for an address where the gateway does', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), parts => {
      const text = parts.join('')
      expect(isBaseUrl(text)).toBe(FORMATS['x-base-url']?.read(text) !== undefined)
    }),
    { numRuns: 2000 },
  )
})

it.each(['http://10.0.0.1:8000/v1', 'https://[::1]/', 'http://a'])('%s is an address', text => {
  expect(isBaseUrl(text)).toBe(true)
})
