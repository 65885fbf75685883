import { Radio, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { hostTyped } from '../../ui/host.ts';
import { FormFrame } from './form-frame.tsx';
import { webmentionWords as words } from './publishing-words.ts';
import { settingProps } from './setting-props.ts';
import { useSettingsForm } from './use-settings-form.ts';

const holdWords: Record<Settings['webmention']['hold'], { label: string; description: string }> = words.hold;

const setting = settingProps('webmentions', words.settings);

/** Sets which mentions wait for approval, which sites are trusted, and where older mentions come from. */
export function WebmentionForm({ webmention }: { webmention: Settings['webmention'] }): ReactElement {
  const form = useSettingsForm('webmention', webmention);
  const [judged, setJudged] = useState(false);
  const { shown, change } = form;
  const aggregatorProblem = isWebAddress(shown.aggregatorUrl) ? undefined : words.badAddress;
  const trustedProblem = problemOf(shown.trustedDomains);
  const hostsProblem = problemOf(shown.hosts);

  const submit = () => {
    const sound = [aggregatorProblem, trustedProblem, hostsProblem].every((problem) => problem === undefined);
    setJudged(!sound);
    if (sound) form.submit();
  };
  const discard = () => {
    form.discard();
    setJudged(false);
  };

  return (
    <FormFrame form={form} onSubmit={submit} onDiscard={discard}>
      <Radio.Group {...setting('hold')} value={shown.hold} onChange={(hold) => change({ hold })}>
        <Stack gap="xs" mt={6}>
          {Object.entries(holdWords).map(([value, choice]) => (
            <Radio key={value} value={value} color="var(--porchlight-tick)" {...choice} />
          ))}
        </Stack>
      </Radio.Group>
      <TagsInput
        {...setting('trustedDomains')}
        placeholder={shown.trustedDomains.length === 0 ? words.exampleTrusted : undefined}
        value={shown.trustedDomains}
        maxTags={10_000}
        acceptValueOnBlur
        error={judged && trustedProblem}
        onChange={(typed) => change({ trustedDomains: sitesOf(typed) })}
      />
      <TagsInput
        {...setting('hosts')}
        placeholder={shown.hosts.length === 0 ? words.exampleHosts : undefined}
        value={shown.hosts}
        maxTags={100}
        acceptValueOnBlur
        error={judged && hostsProblem}
        onChange={(typed) => change({ hosts: sitesOf(typed) })}
      />
      <TextInput
        {...setting('aggregatorUrl')}
        type="url"
        maxLength={2048}
        value={shown.aggregatorUrl}
        error={judged && aggregatorProblem}
        onChange={(event) => change({ aggregatorUrl: event.currentTarget.value.trim() })}
      />
      <Switch
        {...setting('catchUp')}
        checked={shown.catchUp}
        onChange={(event) => change({ catchUp: event.currentTarget.checked })}
      />
    </FormFrame>
  );
}

/** Returns each site once, as a host name. A text that names no site stays as typed, so that the owner can correct it. */
function sitesOf(typed: readonly string[]): string[] {
  return [...new Set(typed.map((one) => hostTyped(one) ?? one.trim()).filter((one) => one !== ''))];
}

function problemOf(sites: readonly string[]): string | undefined {
  const wrong = sites.find((site) => hostTyped(site) === undefined);
  return wrong === undefined ? undefined : words.badSite(wrong);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
