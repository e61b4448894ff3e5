import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
/** Where the gateway of `npm run dev:console` listens. */
const gateway = process.env.GATEWAY_URL ?? 'http://localhost:8080'
const admin = process.env.GATEWAY_ADMIN_URL ?? 'http://127.0.0.1:9090'
const language = process.env.CONSOLE_LANGUAGE
/** Modules that both doors load at first. They are one file: compressed, it is smaller than five. */
const first =
  /preact|vite\/preload-helper|shared\/(?:api|boot|copy|dotted|find|fmt|icon|lazy|open|resource|states?|frame\/\w+|time\/\w+|sign-in\/session|texts(?:-\w+)?\/common)\.tsx?$/

export default defineConfig({
  root,
  // Chunks are found beside each other, wherever a proxy puts them.
  base: './',
  publicDir: 'static',
  // Another language: `CONSOLE_LANGUAGE=de npm run build` takes each module of texts from the folder texts-de beside it.
  resolve: { alias: language ? [{ find: /\/texts\//, replacement: `/texts-${language}/` }] : [] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    // One segment of a path: the gateway looks names up.
    assetsDir: '',
    // The policy of the page allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // From here on they know light-dark().
    target: ['chrome123', 'firefox121', 'safari17.5'],
    rolldownOptions: {
      // Texts stand where they are used: their modules and names are no part of what is loaded.
      optimization: { inlineConst: { mode: 'all' } },
      input: ['public', 'admin'].map(door => `${root}${door}.html`),
      output: { codeSplitting: { groups: [{ name: 'shared', test: first }] } },
    },
  },
  server: {
    proxy: { ...Object.fromEntries(['/v1', '/billing', '/docs'].map(path => [path, gateway])), '/admin/': admin },
  },
})
