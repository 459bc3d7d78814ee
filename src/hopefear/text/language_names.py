"""The English names of languages, those of Unicode's CLDR."""

from __future__ import annotations

import re

from hopefear.base.texts import first_word

_NAMES = """
aa Afar; ab Abkhazian; ady Adyghe; ae Avestan; af Afrikaans; agq Aghem; ak Akan; am Amharic; an Aragonese;
ann Obolo; ar Arabic; ar-001 Modern Standard Arabic; arn Mapuche; ary Moroccan Arabic; as Assamese; asa Asu;
ast Asturian; av Avaric; ay Aymara; az Azerbaijani; ba Bashkir; bal Baluchi; bas Basaa; be Belarusian;
bem Bemba; bew Betawi; bez Bena; bg Bulgarian; bgc Haryanvi; bgn Western Balochi; bho Bhojpuri; bi Bislama;
blo Anii; blt Tai Dam; bm Bambara; bn Bangla; bo Tibetan; bqi Bakhtiari; br Breton; brh Brahui; brx Bodo;
bs Bosnian; bss Akoose; bua Buriat; byn Blin; ca Catalan; cad Caddo; cch Atsam; ccp Chakma; ce Chechen;
ceb Cebuano; cgg Chiga; ch Chamorro; cho Choctaw; chr Cherokee; cic Chickasaw; ckb Central Kurdish;
co Corsican; cop Coptic; cr Cree; cs Czech; csw Swampy Cree; cu Church Slavic; cv Chuvash; cy Welsh;
da Danish; dav Taita; de German; de-AT Austrian German; de-CH Swiss High German; dje Zarma; doi Dogri;
dsb Lower Sorbian; dua Duala; dv Divehi; dyo Jola-Fonyi; dz Dzongkha; ebu Embu; ee Ewe; el Greek; en English;
en-AU Australian English; en-CA Canadian English; en-GB British English; en-US American English; eo Esperanto;
es Spanish; es-419 Latin American Spanish; es-ES European Spanish; es-MX Mexican Spanish; et Estonian;
eu Basque; ewo Ewondo; fa Persian; fa-AF Dari; ff Fula; fi Finnish; fil Filipino; fj Fijian; fo Faroese;
fr French; fr-CA Canadian French; fr-CH Swiss French; frr Northern Frisian; fur Friulian; fy Western Frisian;
ga Irish; gaa Ga; gd Scottish Gaelic; gez Geez; gl Galician; gn Guarani; gsw Swiss German; gu Gujarati;
guz Gusii; gv Manx; ha Hausa; haw Hawaiian; he Hebrew; hi Hindi; hi-Latn Hindi (Latin); hnj Hmong Njua;
ho Hiri Motu; hr Croatian; hsb Upper Sorbian; ht Haitian Creole; hu Hungarian; hy Armenian; hz Herero;
ia Interlingua; id Indonesian; ie Interlingue; ig Igbo; ii Sichuan Yi; ik Inupiaq; io Ido; is Icelandic;
it Italian; iu Inuktitut; ja Japanese; jbo Lojban; jgo Ngomba; jmc Machame; jv Javanese; ka Georgian;
kaa Kara-Kalpak; kab Kabyle; kaj Jju; kam Kamba; kbd Kabardian; kcg Tyap; kde Makonde; kea Kabuverdianu;
kek Qʼeqchiʼ; ken Kenyang; kg Kongo; kgp Kaingang; khq Koyra Chiini; ki Kikuyu; kj Kuanyama; kk Kazakh;
kkj Kako; kl Kalaallisut; kln Kalenjin; km Khmer; kn Kannada; ko Korean; kok Konkani; kpe Kpelle; kr Kanuri;
ks Kashmiri; ksb Shambala; ksf Bafia; ksh Colognian; ku Kurdish; kv Komi; kw Cornish; kxv Kuvi; ky Kyrgyz;
la Latin; lag Langi; lb Luxembourgish; lg Ganda; li Limburgish; lij Ligurian; lkt Lakota; lld Ladin;
lmo Lombard; ln Lingala; lo Lao; lrc Northern Luri; lt Lithuanian; ltg Latgalian; lu Luba-Katanga; luo Luo;
luy Luyia; lv Latvian; lzz Laz; mai Maithili; mas Masai; mdf Moksha; mer Meru; mfe Morisyen; mg Malagasy;
mgh Makhuwa-Meetto; mgo Metaʼ; mh Marshallese; mi Māori; mic Mi'kmaw; mk Macedonian; ml Malayalam;
mn Mongolian; mni Manipuri; moh Mohawk; mr Marathi; ms Malay; mt Maltese; mua Mundang; mus Muscogee;
my Burmese; myv Erzya; mzn Mazanderani; na Nauru; naq Nama; nb Norwegian Bokmål; nd North Ndebele;
nds Low German; nds-NL Low Saxon; ne Nepali; ng Ndonga; nl Dutch; nl-BE Flemish; nmg Kwasio;
nn Norwegian Nynorsk; nnh Ngiemboon; no Norwegian; nqo N’Ko; nr South Ndebele; nso Northern Sotho; nus Nuer;
nv Navajo; ny Nyanja; nyn Nyankole; oc Occitan; oj Ojibwa; oka Okanagan; om Oromo; or Odia; os Ossetic;
osa Osage; pa Punjabi; pap Papiamento; pcm Nigerian Pidgin; pi Pali; pis Pijin; pl Polish; pms Piedmontese;
prg Prussian; ps Pashto; pt Portuguese; pt-BR Brazilian Portuguese; pt-PT European Portuguese; qu Quechua;
quc Kʼicheʼ; raj Rajasthani; rhg Rohingya; rif Riffian; rm Romansh; rn Rundi; ro Romanian; ro-MD Moldavian;
rof Rombo; ru Russian; rw Kinyarwanda; rwk Rwa; sa Sanskrit; sah Yakut; saq Samburu; sat Santali; sbp Sangu;
sc Sardinian; scn Sicilian; sd Sindhi; sdh Southern Kurdish; se Northern Sami; seh Sena; ses Koyraboro Senni;
sg Sango; sgs Samogitian; shi Tachelhit; shn Shan; si Sinhala; sid Sidamo; sk Slovak; sl Slovenian; sm Samoan;
sma Southern Sami; smj Lule Sami; smn Inari Sami; sms Skolt Sami; sn Shona; so Somali; sq Albanian;
sr Serbian; sr-ME Montenegrin; ss Swati; ssy Saho; st Southern Sotho; su Sundanese; sus Susu; sv Swedish;
sw Swahili; sw-CD Congo Swahili; syr Syriac; szl Silesian; ta Tamil; te Telugu; teo Teso; tg Tajik; th Thai;
ti Tigrinya; tig Tigre; tk Turkmen; tl Tagalog; tn Tswana; to Tongan; tok Toki Pona; tpi Tok Pisin;
tr Turkish; trv Taroko; trw Torwali; ts Tsonga; tt Tatar; tw Twi; twq Tasawaq; ty Tahitian; tyv Tuvinian;
tzm Central Atlas Tamazight; ug Uyghur; uk Ukrainian; und Unknown language; ur Urdu; uz Uzbek; vai Vai;
ve Venda; vec Venetian; vi Vietnamese; vmw Makhuwa; vo Volapük; vun Vunjo; wa Walloon; wae Walser;
wal Wolaytta; wbp Warlpiri; wo Wolof; xh Xhosa; xnr Kangri; xog Soga; yav Yangben; yi Yiddish; yo Yoruba;
yrl Nheengatu; yue Cantonese; za Zhuang; zgh Standard Moroccan Tamazight; zh Chinese;
zh-Hans Simplified Chinese; zh-Hant Traditional Chinese; zu Zulu
"""

_NAME_OF = dict(first_word(each) for each in _NAMES.split(";"))


def language_name(code: str) -> str:
    """Return the name of a language, such as Spanish for ``es``; the code if the table lacks it."""
    parts = re.split("[-_]", code)
    for size in range(len(parts), 0, -1):
        rest = parts[size:]
        name = _NAME_OF.get("-".join((parts[0].lower(), *parts[1:size])))
        if name is not None:
            return f"{name} ({'-'.join(rest)})" if rest else name
    return code
