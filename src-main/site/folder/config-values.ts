import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';

/** Returns the values in a configuration file; undefined if the file isn't valid. */
export function configValues(file: string, text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = file.endsWith('.toml')
      ? parseToml(text)
      : file.endsWith('.json')
        ? JSON.parse(text)
        : parseYaml(text, { maxAliasCount: 100, logLevel: 'silent' });
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return undefined;
  }
}
