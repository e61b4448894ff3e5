import { hash } from 'node:crypto'

/** Headers of a page that loads and runs nothing. Its one style is allowed by its hash; `forms` says where its forms may lead. */
export const plainPageHeaders = (style: string, forms: 'none' | 'self' = 'none'): Readonly<Record<string, string>> => ({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action '${forms}'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
})
