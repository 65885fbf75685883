import { box, fullBox, uint16, uint32 } from './picture-samples.ts';

/**
 * An HEVC frame of 64 by 64 pixels: red, green, blue and white quarters, in reading order. Made with libheif's
 * `heif-enc -q 80` (x265 3.5) from a PNG. These are the `hvcC` property and the data of the file's only item.
 */
const hevcConfiguration = Buffer.from(
  'AQNwAAAAAAAAAAAAHvAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQCEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqSSmubgQEDAgAAAMACAAAAwAIQCIAAQAHRAHBcrAiQA==',
  'base64',
);
const hevcFrame = Buffer.from(
  'AAAAPygBrwT4QTJp2//Jh////K9d2X+TE0F+5/P6Pf/39lf//ZiOzT7/iw/o39MsN//1xvH8v/0Lj3/+DCdY/dQKIA==',
  'base64',
);
const frameEdge = 64;

interface HeicOptions {
  /** How many frames the picture consists of, as phones store large photos; absent for one frame without a grid. */
  readonly grid?: { readonly columns: number; readonly rows: number };
  /** The size in pixels that the file declares; that of its frames if absent. */
  readonly declared?: { readonly width: number; readonly height: number };
  /** By how many quarters the picture is turned to the left when it is shown. */
  readonly turns?: 0 | 1 | 2 | 3;
  /** Exif data, starting with the byte order. */
  readonly exif?: Uint8Array;
  /** An ICC profile. */
  readonly profile?: Uint8Array;
  /** Whether a second picture is the first one's transparency. */
  readonly alpha?: boolean;
  /** How many more pictures the file contains. */
  readonly more?: number;
  /** The codec that the file names for its frames. */
  readonly codec?: string;
}

interface Item {
  readonly type: string;
  readonly data: Buffer;
  readonly properties: readonly number[];
  readonly isHidden?: boolean;
}

/** Makes a HEIC picture, with the structure that phones give it (ISO/IEC 23008-12). The first item is the picture. */
export function heic(options: HeicOptions = {}): Buffer {
  const { grid, turns = 0, exif, profile, alpha = false, more = 0, codec = 'hvc1' } = options;
  const size = options.declared ?? {
    width: frameEdge * (grid?.columns ?? 1),
    height: frameEdge * (grid?.rows ?? 1),
  };
  const properties = [
    box('hvcC', hevcConfiguration),
    fullBox('ispe', 0, uint32(frameEdge), uint32(frameEdge)),
    fullBox('ispe', 0, uint32(size.width), uint32(size.height)),
    box('irot', Buffer.of(turns)),
    box('colr', 'prof', profile ?? ''),
    fullBox('auxC', 0, 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0'),
  ];
  const shown = [3, 4, ...(profile ? [5] : [])];
  const frame = (isHidden: boolean): Item => ({ type: codec, data: hevcFrame, properties: [1, 2], isHidden });
  const dimensions = Buffer.concat([uint32(size.width), uint32(size.height)]);
  const frames = Array.from({ length: grid ? grid.columns * grid.rows : 0 }, () => frame(true));
  const picture: Item = grid
    ? {
        type: 'grid',
        data: Buffer.concat([Buffer.of(0, 1, grid.rows - 1, grid.columns - 1), dimensions]),
        properties: shown,
      }
    : { type: codec, data: hevcFrame, properties: [1, ...shown] };
  const items: Item[] = [
    picture,
    ...frames,
    ...Array.from({ length: more }, () => frame(false)),
    ...(exif ? [{ type: 'Exif', data: Buffer.concat([uint32(0), exif]), properties: [] }] : []),
    ...(alpha ? [{ ...frame(true), properties: [1, 2, 6] }] : []),
  ];
  const references = [
    ...(grid
      ? [box('dimg', uint16(1), uint16(frames.length), ...frames.map((_, at) => uint16(at + 2)))]
      : []),
    ...(exif ? [box('cdsc', uint16(items.length - Number(alpha)), uint16(1), uint16(1))] : []),
    ...(alpha ? [box('auxl', uint16(items.length), uint16(1), uint16(1))] : []),
  ];
  const ftyp = box('ftyp', 'heic', uint32(0), 'mif1heic');
  const meta = (start: number): Buffer => {
    let at = start;
    const extents = items.map((item, index) => {
      const extent = Buffer.concat([
        uint16(index + 1),
        uint16(0),
        uint16(1),
        uint32(at),
        uint32(item.data.length),
      ]);
      at += item.data.length;
      return extent;
    });
    const infos = items.map((item, index) => {
      const info = fullBox('infe', 2, uint16(index + 1), uint16(0), item.type, '\0');
      info[11] = Number(item.isHidden === true); // the last byte of the flags
      return info;
    });
    const uses = items.map(({ properties: used }, index) =>
      Buffer.concat([uint16(index + 1), Buffer.of(used.length, ...used)]),
    );
    return fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, uint32(0), 'pict', Buffer.alloc(13)),
      fullBox('pitm', 0, uint16(1)),
      fullBox('iinf', 0, uint16(items.length), ...infos),
      ...(references.length > 0 ? [fullBox('iref', 0, ...references)] : []),
      box('iprp', box('ipco', ...properties), fullBox('ipma', 0, uint32(items.length), ...uses)),
      fullBox('iloc', 0, Buffer.of(0x44, 0), uint16(items.length), ...extents),
    );
  };
  const start = ftyp.length + meta(0).length + 8;
  return Buffer.concat([ftyp, meta(start), box('mdat', ...items.map((item) => item.data))]);
}
