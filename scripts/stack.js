// Maps a stack trace of an install to lines of src/: an install names columns of one long line. `node scripts/stack.js <
// trace.txt`, in a built clone of the version that was installed.
import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'

const PLACE = /[^\s(]*\b(dist\/\S+?\.js):(\d+):(\d+)/g

process.stdout.write(
  readFileSync(0, 'utf8').replace(PLACE, (place, file, line, column) => {
    const map = new URL(`../${file}.map`, import.meta.url)
    if (!existsSync(map)) return place
    const { lineNumber, columnNumber } = new SourceMap(JSON.parse(readFileSync(map, 'utf8'))).findOrigin(+line, +column)
    return `${file.replace('dist/', 'src/').replace(/js$/, 'ts')}:${lineNumber}:${columnNumber}`
  }),
)
