import { Group, Input, NativeSelect, Radio, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../../src-main/contract/settings.ts';
import { FormFrame } from '../form-frame.tsx';
import { settingProps } from '../setting-props.ts';
import { useSettingsForm } from '../use-settings-form.ts';
import { LinkList } from './link-list.tsx';
import { PageList } from './page-list.tsx';
import { SitePhoto } from './site-photo.tsx';
import { SitePreview } from './site-preview.tsx';
import { areRowsSound } from './site-rows.ts';
import styles from './site.module.css';
import { siteWords as words } from './words.ts';

const setting = settingProps('site', words.settings);
const themes = ['porch', 'paper', 'garden'] as const;
/** What the colour chooser starts with. */
const firstAccent = '#b3402a';
const zones = Intl.supportedValuesOf('timeZone');

/** Returns the time zones to choose from. The chosen one may have a name that this browser doesn't list. */
function zonesWith(chosen: string) {
  const names = chosen === '' || zones.includes(chosen) ? zones : [chosen, ...zones];
  return [
    { value: '', label: words.ownZone },
    ...names.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
  ];
}

/** Sets what the built-in site says and what it looks like, beside a preview. */
export function SiteForm({ site }: { site: Settings['site'] }): ReactElement {
  const form = useSettingsForm('site', site);
  const [judged, setJudged] = useState(false);
  const { shown, change } = form;

  const submit = () => {
    const isSound = areRowsSound(shown);
    setJudged(!isSound);
    if (isSound) form.submit();
  };
  const discard = () => {
    form.discard();
    setJudged(false);
  };

  return (
    <FormFrame form={form} onSubmit={submit} onDiscard={discard}>
      <Radio.Group
        {...setting('theme')}
        value={shown.theme}
        onChange={(value) => {
          const theme = themes.find((name) => name === value);
          if (theme !== undefined) change({ theme });
        }}
      >
        <Stack gap="xs" mt={6}>
          {themes.map((name) => (
            <Radio
              key={name}
              value={name}
              label={words.themes[name].label}
              description={words.themes[name].about}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Accent accent={shown.accent} onChange={(accent) => change({ accent })} />
      <SitePreview site={shown} />
      <TextInput
        {...setting('title')}
        value={shown.title}
        maxLength={200}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <TextInput
        {...setting('tagline')}
        value={shown.tagline}
        maxLength={500}
        onChange={(event) => change({ tagline: event.currentTarget.value })}
      />
      <Textarea
        {...setting('about')}
        rows={5}
        resize="vertical"
        value={shown.about}
        maxLength={20_000}
        onChange={(event) => change({ about: event.currentTarget.value })}
      />
      <TextInput
        {...setting('replyEmail')}
        type="email"
        value={shown.replyEmail}
        maxLength={320}
        onChange={(event) => change({ replyEmail: event.currentTarget.value })}
      />
      <SitePhoto id={setting('photo').id} photo={shown.photo} onChange={(photo) => change({ photo })} />
      <LinkList
        id={setting('links').id}
        links={shown.links}
        judged={judged}
        onChange={(links) => change({ links })}
      />
      <PageList
        id={setting('pages').id}
        pages={shown.pages}
        judged={judged}
        onChange={(pages) => change({ pages })}
      />
      <NativeSelect
        {...setting('timeZone')}
        data={zonesWith(shown.timeZone)}
        value={shown.timeZone}
        onChange={(event) => change({ timeZone: event.currentTarget.value })}
      />
      <Textarea
        {...setting('css')}
        className={styles.code}
        rows={6}
        resize="vertical"
        spellCheck={false}
        value={shown.css}
        maxLength={100_000}
        onChange={(event) => change({ css: event.currentTarget.value })}
      />
    </FormFrame>
  );
}

/** Chooses an accent colour instead of the theme's. */
function Accent({
  accent,
  onChange,
}: {
  readonly accent: string;
  readonly onChange: (accent: string) => void;
}): ReactElement {
  const { id, label } = setting('accent');
  return (
    <Group align="flex-end" id={id}>
      <Switch
        label={words.ownAccent}
        checked={accent !== ''}
        onChange={(event) => onChange(event.currentTarget.checked ? firstAccent : '')}
      />
      {accent !== '' && (
        <Input.Wrapper label={label} id={`${id}-colour`}>
          <div>
            <input
              type="color"
              id={`${id}-colour`}
              className={styles.colour}
              value={accent}
              onChange={(event) => onChange(event.currentTarget.value)}
            />
          </div>
        </Input.Wrapper>
      )}
    </Group>
  );
}
