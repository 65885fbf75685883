import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the text of a style sheet. `folder`: the folder of the calling module. `name`: relative to it. The build puts
 * the text in the place of the call (see vite.main.config.ts).
 */
export const styleSheet = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
