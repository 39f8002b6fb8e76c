/**
 * Characters that names are made of, in simplified form: Chinese surnames by how common they are, characters that given
 * names like, and those with which foreign names are written by sound.
 */

/** Surnames of one character, the commonest first; the share falls from 7 in 100 to 1 in 10,000. */
export const SURNAMES =
  '王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范' +
  '汪廖石金贾韦夏付傅方邹熊白孟秦邱侯江尹薛闫阎雷龙段郝史陶贺毛顾龚邵万覃武钱戴严莫孔汤常温康施文牛樊葛邢安齐伍庞颜倪庄聂章' +
  '鲁岳翟殷詹申耿关兰焦柳左甘祝包宁尚符舒阮柯纪梅童凌毕单裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤' +
  '阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师仇栾隋商刁沙荣巫寇桑郎甄丛仲' +
  '虞敖巩佘池查麻苑迟邝萧'

/** Surnames that mostly are other words. */
export const AMBIGUOUS_SURNAMES = '于时应成全包路左单项解何管任万连常乐明方和古安水车麦尚席平查宫计'

/** Surnames of two characters. */
export const DOUBLE_SURNAMES =
  '欧阳 诸葛 司马 上官 司徒 皇甫 尉迟 公孙 夏侯 慕容 长孙 宇文 令狐 独孤 南宫 端木 东方 西门 轩辕'

/** Characters that given names like. */
export const GIVEN_NAME_CHARACTERS =
  '伟芳娜敏静丽强磊洋艳勇军杰娟涛明超霞平刚桂英华文玉秀兰红建国志春梅海云峰金龙德林生波俊宏辉健鹏飞宇浩鑫雪婷琳玲佳慧莹洁' +
  '燕凤珍珠莲荣福贵祥瑞庆斌彬凯亮新宁振东兴光永清少泽家子天成立学义仁智礼信忠孝思继祖宗世启元开正中心怡晓小大晨阳轩梓涵欣悦' +
  '梦诗雅萍倩丹青松柏岩岚嘉豪毅恒安康民全培鸿伦翔胜良友诚敬贤才发武奇锋锐铭钧钢铁锦镇镕基其琛恩来万长江河山川石水木森根树' +
  '芝芬芸苹茜菊萱蓉蓓薇蕾香虹蝶仪伯仲叔季士先克冠利力功劲勤匡卓原善国坚培塘士奎奕妍姗媛娇婉嫣孟宜宝宣宪富寿尚崇巧帆帅广弘' +
  '彦彤彪征恺悠惠意慈戈才扬承拓捷政斯旭昊昌昕昭晖晶景智曼月朋朗楚楠榕殿沛沁泉洪润淑淳渊湘源溢滨漫潇炎炜烨焕煜照熙爱牧玮' +
  '玫珊珂珏琦琪琴瑛瑜瑶璐璇甫益盛真睿硕礼祺秋稳竹筠筱红纯纲维绍绪绮群翠耀聪胤舒航艺若范苑茂茵菲萌萧葵蒙蔚藩虎蜀行衡裕观' +
  '训诺谊谦豫赫超跃路辰迅达迎远迪逸道邦郁采野钊银锡雁雄雨霆霖霜露韬韵顺颖飘驰骏高魁麒麟黎齐栋懿'

/** Characters that no given name has, or hardly any. */
export const NEVER_IN_GIVEN_NAMES =
  '的了是在和有不这那我你他她它们个为与及或也都就还又很把被让给从到对向于以等之所其并而但吗呢吧啊说时后前会要者着过将能可只才已' +
  '应由件值格表没无如此位样每些该各'

/** Characters of foreign names. */
export const FOREIGN_NAME_CHARACTERS =
  '阿埃艾爱安昂奥巴拜班邦保堡鲍贝本比彼别波玻伯勃博布采查茨茶察达戴丹道德登邓迪蒂丁顿多厄恩尔凡范菲费芬丰弗夫福盖甘冈高戈' +
  '哥格根古瓜圭哈海汉豪赫亨胡华怀霍基吉季加贾简杰捷金卡凯坎康考柯科克肯库夸奎拉莱赖兰朗劳勒雷蕾黎李里理利莉丽连列林琳龙卢' +
  '鲁路伦罗洛吕玛马迈麦曼芒毛梅门蒙孟米密明莫姆木穆纳娜南内嫩尼宁纽努诺欧帕潘庞培佩蓬皮珀坡普奇齐契恰乔切琴丘热仁日荣茹儒瑞' +
  '若撒萨塞赛桑瑟森沙莎山尚绍舍什圣施史士舒朔斯丝松苏索塔泰坦汤唐陶特藤提田廷图托陀瓦万旺威韦维魏温文翁沃乌伍武西希锡夏香' +
  '谢辛欣休雪雅亚延扬耶叶伊依因英尤约泽扎詹哲珍芝治兹佐'
