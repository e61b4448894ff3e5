import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Canvas } from './canvas.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const RGB = 2
const FILTER_SUB = 1

/** The canvas as a PNG file (W3C PNG, third edition): eight bits a channel, no alpha. */
export async function png(canvas: Canvas, software: string): Promise<Buffer> {
  const data = await promisify(deflate)(filtered(canvas))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header(canvas)),
    chunk('tEXt', Buffer.from(`Software\0${software}`, 'latin1')),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Size, depth, colour type; then deflate, the five standard filters and no interlacing, which are all 0. */
function header({ width, height }: Canvas): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  bytes[8] = 8
  bytes[9] = RGB
  return bytes
}

/** Every row as its differences from the pixel to the left, since even colours then deflate to nearly nothing. */
function filtered({ width, height, pixels }: Canvas): Uint8Array {
  const row = width * 3
  const bytes = new Uint8Array(height * (row + 1))
  for (let y = 0; y < height; y++) {
    const start = y * (row + 1)
    bytes[start] = FILTER_SUB
    for (let i = 0; i < row; i++) {
      const left = i < 3 ? 0 : (pixels[y * row + i - 3] ?? 0)
      // Stored modulo 256.
      bytes[start + 1 + i] = (pixels[y * row + i] ?? 0) - left
    }
  }
  return bytes
}

/** Length, type, data and the checksum of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const bytes = Buffer.alloc(named.length + 8)
  bytes.writeUInt32BE(data.length, 0)
  named.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(named), named.length + 4)
  return bytes
}
