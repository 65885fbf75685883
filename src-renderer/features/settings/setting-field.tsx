import { Radio, Stack, Switch, TagsInput, Text, Textarea, TextInput, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Setting } from '../../../src-main/contract/shapes.ts';
import type { SettingsPage } from '../../routes.ts';
import { hostTyped } from '../../ui/host.ts';
import { WarningNote } from '../../ui/states.tsx';
import styles from './settings.module.css';
import { fieldWords as words } from './words.ts';

/** Why a value can't be saved; undefined if it can. */
export type Problem = string | undefined;

/** Returns the id of the element that holds a setting. */
export function settingId(page: SettingsPage, name: string): string {
  return `setting-${page}-${name}`;
}

/** Returns what the field of a setting is made of: the id that the search leads to, the label and the description. */
export function settingProps(page: SettingsPage, name: string, { label, help }: Setting) {
  return { id: settingId(page, name), label, ...(help !== undefined && { description: help }) };
}

/** Moves the focus to a setting: to its input, or to the first one in its group. */
export function focusSetting(page: SettingsPage, name: string): void {
  const setting = document.getElementById(settingId(page, name));
  if (!setting) return;
  // A chooser of files is hidden behind its button.
  const controls = 'input:not([type="file"]), select, textarea, button, a';
  const target = setting.matches(controls)
    ? setting
    : (setting.querySelector<HTMLElement>('input:checked') ?? setting.querySelector<HTMLElement>(controls));
  (target ?? setting).focus();
  setting.scrollIntoView({ block: 'center' });
}

interface Props {
  readonly page: SettingsPage;
  readonly name: string;
  /** The setting's row in the table of its area. */
  readonly row: Setting;
  readonly value: unknown;
  readonly problem?: Problem;
  readonly disabled?: boolean;
  readonly onChange: (value: boolean | string | readonly string[]) => void;
}

/** The field of a setting, as its row in the table describes it: a switch, a choice, a list or a text. */
export function SettingField({ page, name, row, value, problem, disabled, onChange }: Props): ReactElement {
  const named = settingProps(page, name, row);
  const { options, warning, example } = row;
  if (typeof value === 'boolean') {
    return (
      <Stack gap="xs">
        <Switch
          {...named}
          checked={value}
          disabled={disabled}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {value && warning !== undefined && <WarningNote>{warning}</WarningNote>}
      </Stack>
    );
  }
  if (Array.isArray(value)) {
    const tags = value.map(String);
    return (
      <TagsInput
        {...named}
        placeholder={tags.length === 0 ? example : undefined}
        value={tags}
        maxTags={limitOf(row, 'maxItems')}
        acceptValueOnBlur
        error={problem}
        onChange={(typed) => onChange(row.field === 'sites' ? sitesIn(typed) : namesIn(typed))}
      />
    );
  }
  const text = typeof value === 'string' ? value : '';
  if (options !== undefined) {
    return (
      <Radio.Group {...named} value={text} onChange={onChange}>
        <Stack gap="xs" mt={6}>
          {Object.entries(options).map(([option, { label, help }]) => (
            <Radio
              key={option}
              value={option}
              label={label}
              description={help}
              color="var(--porchlight-tick)"
            />
          ))}
        </Stack>
      </Radio.Group>
    );
  }
  return <TextField {...{ named, row, text, problem, onChange }} />;
}

interface TextProps extends Pick<Props, 'row' | 'problem'> {
  readonly named: ReturnType<typeof settingProps>;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function TextField({ named, row, text, problem, onChange }: TextProps): ReactElement {
  const { field, example } = row;
  const input = {
    ...named,
    value: text,
    placeholder: example,
    maxLength: limitOf(row, 'maxLength'),
    error: problem,
  };
  if (field === 'code') {
    return (
      <Textarea
        {...input}
        className={styles.code}
        rows={6}
        resize="vertical"
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      {...input}
      type={field === 'url' || field === 'email' ? field : 'text'}
      onChange={({ currentTarget: { value } }) => onChange(field === 'url' ? value.trim() : value)}
    />
  );
}

interface GroupProps {
  readonly page: SettingsPage;
  readonly name: string;
  readonly words: { readonly label: string; readonly help?: string };
  readonly children: ReactNode;
}

/** Lays out what the owner sets by buttons, outside a form. The search leads to it, too. */
export function SettingGroup({ page, name, words: { label, help }, children }: GroupProps): ReactElement {
  return (
    <div role="group" aria-label={label} id={settingId(page, name)} tabIndex={-1} className={styles.group}>
      <Title order={3}>{label}</Title>
      {help !== undefined && (
        <Text c="dimmed" size="sm" mb="sm">
          {help}
        </Text>
      )}
      {children}
    </div>
  );
}

/** Returns the longest value that the setting's schema accepts. */
function limitOf({ schema }: Setting, limit: 'maxLength' | 'maxItems'): number {
  const most: unknown = Reflect.get(schema, limit);
  return typeof most === 'number' ? most : 2048;
}

const namesIn = (typed: readonly string[]): string[] =>
  typed.map((one) => one.trim().slice(0, 200)).filter((one) => one !== '');

/** Returns each site once, as a host name. A text that names no site stays as typed, so that the owner can correct it. */
function sitesIn(typed: readonly string[]): string[] {
  return [...new Set(typed.map((one) => hostTyped(one) ?? one.trim()).filter((one) => one !== ''))];
}

/** Returns why a list of sites can't be saved. */
export function sitesProblem(sites: readonly string[]): Problem {
  const wrong = sites.find((site) => hostTyped(site) === undefined);
  return wrong === undefined ? undefined : words.badSite(wrong);
}

/** Returns why a text can't be saved as the address of a site. */
export function addressProblem(text: string): Problem {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? undefined : words.badAddress;
}
