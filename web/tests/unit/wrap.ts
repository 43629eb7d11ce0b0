// Links made by hand: whatever bytes, compressed as share.ts compresses its own.

import { crc32, deflateRawSync } from 'node:zlib'
import { DICTIONARY_1 } from '../../src/core/share-dictionary'
import { writeDifferences } from '../../src/core/share-numbers'

const dictionary = Buffer.from(writeDifferences(DICTIONARY_1))

/** A link with these bytes inside. */
export const wrap = (bytes: Uint8Array | string): string => '1' + deflateRawSync(bytes, { level: 9, dictionary }).toString('base64url')

/** The bytes, and the checksum that fits them, or another. */
export const sealed = (bytes: Uint8Array, checksum = crc32(bytes)): Buffer => Buffer.concat([bytes, Buffer.from('#' + checksum.toString(16).padStart(8, '0'))])
