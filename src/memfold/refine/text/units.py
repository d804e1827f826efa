"""Units of measurement and money: what they are called, and how much of the base unit each is. Data only."""

from __future__ import annotations

from decimal import Decimal

_TABLE = """
g: g gram grams gramm gramme gramo gramos grammes grammi grama gramas г грамм грамма граммов 克 그램 グラム =1
g: mg milligram milligrams milligramm мг 毫克 =0.001
g: µg μg mcg ug microgram micrograms =0.000001
g: kg kgs kilo kilos kilogram kilograms kilogramm кг килограмм килограмма килограммов 公斤 千克 キロ 킬로 كيلو كغ cân =1000
g: t tonne tonnes Tonnen toneladas тонна тонны тонн 吨 トン =1000000
g: lb lbs =453.59237
g: oz ounce ounces =28.349523125
g: 斤 =500
m: m metre metres meter meters metro metros mètre mètres метр метра метров 米 メートル 미터 =1
m: mm millimetre millimetres millimeter millimeters мм 毫米 ミリ =0.001
m: cm centimetre centimetres centimeter centimeters Zentimeter см 厘米 センチ 센티 =0.01
m: km kilometre kilometres kilometer kilometers kilómetro kilómetros kilomètres км километр километра километров 公里 キロメートル =1000
m: Kilometer =1000
m: inch inches =0.0254
m: ft foot feet =0.3048
m: yd yard yards =0.9144
m: mile miles mi =1609.344
m²: m² m2 sqm =1
l: l litre litres liter liters litro litros л литр литра литров 升 リットル 리터 =1
l: ml millilitre millilitres milliliter milliliters мл 毫升 =0.001
l: cl =0.01
l: dl =0.1
tbsp: tbsp tablespoon tablespoons =1
tsp: tsp teaspoon teaspoons =1
cup: cup cups =1
s: s sec secs second seconds Sekunde Sekunden segundo segundos seconde secondes секунд секунды giây 秒 초 =1
s: ms millisecond milliseconds =0.001
s: min mins minute minutes Minute Minuten minuto minutos minuti минута минуты минут phút 分钟 分鐘 分間 분 دقيقة دقائق =60
s: h hr hrs hour hours Stunde Stunden hora horas heure heures ora ore час часа часов tiếng 小时 小時 時間 시간 ساعة ساعات =3600
s: 个小时 個小時 个钟头 =3600
day: day days Tag Tage Tagen día días dia dias jour jours giorno giorni день дня дней ngày 天 日間 일간 يوم أيام =1
day: week weeks wk wks Woche Wochen semana semanas semaine semaines settimana settimane неделя недели недель tuần =7
day: 周 週間 星期 주 أسبوع أسابيع =7
day: fortnight fortnights =14
month: month months Monat Monate Monaten mes meses mois mês mese mesi месяц месяца месяцев tháng 个月 個月 ヶ月 か月 カ月 개월 شهر أشهر =1
month: year years yr yrs yo Jahr Jahre Jahren año años an ans année années ano anos anno anni год года лет tuổi 岁 歲 歳 살 سنة سنوات =12
month: decade decades =120
°C: °C ℃ Grad =1
°F: °F =1
B: B byte bytes =1
B: kB KB K kb =1000
B: MB mb =1000000
B: GB gb =1000000000
B: TB tb =1000000000000
B: KiB Ki =1024
B: MiB Mi =1048576
B: GiB Gi =1073741824
B: TiB Ti =1099511627776
Wh: Wh =1
Wh: kWh kwh KWh =1000
Wh: MWh =1000000
Wh: GWh =1000000000
W: W watt watts Watt =1
W: kW kilowatt kilowatts =1000
W: MW =1000000
W: kWp =1000
Wp: Wp =1
V: V volt volts =1
A: mA =0.001
A: A amp amps =1
Hz: Hz =1
Hz: kHz =1000
Hz: MHz =1000000
Hz: GHz =1000000000
kcal: kcal calories calorie =1
km/h: km/h kph kmh =1
mph: mph =1
dB: dB =1
bar: bar =1
%: % percent pct Prozent процент процента процентов pourcent パーセント =1
%: 割 =10
USD: $ USD dollar dollars buck bucks Dollar dólar dólares доллар доллара долларов 美元 ドル 달러 دولار đô =1
USD: cent cents =0.01
EUR: € EUR euro euros Euro Euros евро 欧元 ユーロ 유로 يورو =1
GBP: £ GBP pound pounds quid =1
JPY: ¥ JPY yen 円 エン =1
CNY: CNY RMB yuan 元 块 塊 =1
KRW: ₩ KRW won 원 =1
INR: ₹ Rs INR rupees rupee =1
NGN: ₦ NGN naira =1
RUB: ₽ RUB рубль рубля рублей руб =1
BRL: R$ BRL reais =1
CHF: CHF francs Franken =1
VND: đ ₫ VND đồng =1
PLN: zł PLN zloty =1
kr: kr SEK NOK DKK kronor kroner =1
"""


def _read() -> dict[str, tuple[str, Decimal]]:
    found: dict[str, tuple[str, Decimal]] = {}
    for line in _TABLE.split("\n"):
        base, _, rest = line.partition(":")
        names, _, factor = rest.rpartition("=")
        for name in names.split():
            found[name] = (base, Decimal(factor))
    return found


UNITS: dict[str, tuple[str, Decimal]] = _read()
"""Name of a unit, as written -> base unit and how many of it."""

WIDE_UNITS: frozenset[str] = frozenset(name for name in UNITS if "\u3040" <= name[0] <= "\ud7af")
"""Units of the scripts without spaces, which stand directly behind the number with more text behind them."""

SCALES: dict[str, int] = {
    name: scale
    for scale, names in {
        100: "hundred",
        10**3: "k K thousand mil mille Tausend tausend тыс тысяч тысячи тысяча 千 nghìn",
        10**4: "万 萬 만",
        10**5: "lakh lakhs",
        10**6: "M mn million millions Mio Millionen millones milhões млн миллиона миллионов triệu",
        10**7: "crore crores",
        10**8: "億 亿",
        10**9: "bn billion",
    }.items()
    for name in names.split()
}
"""What stands between a number and its unit and multiplies it."""
